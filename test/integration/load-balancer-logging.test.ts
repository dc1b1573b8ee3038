import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectorName } from '../../server/src/providers/local/load-balancers/access-logs/collector.ts';
import {
  type Backend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { get } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import {
  startTcpCollector,
  startUdpCollector,
  type TestCollector,
} from '../../server/src/providers/local/load-balancers/test-support/collector.ts';
import { createdBy } from '../harness/project.ts';
import { type Reply, startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Access logs of a real HAProxy, through the API, on their way to the collectors of regions. */

const LBS = '/cloud/v1/loadbalancers/1/1';

let server: TestServer;
let backend: Backend;
let own: TestCollector;
let other: TestCollector;

beforeAll(async () => {
  own = await startTcpCollector();
  other = await startUdpCollector();
  const region = (id: number, provider: string, settings: object) => {
    return { id, display_name: `R${id}`, slug: `r${id}`, state: 'ACTIVE', provider, settings };
  };
  server = await startTestServer({
    regions: [
      region(1, 'local', { log_collector: collectorName(own.collector) }),
      region(2, 'simulated', { log_collector: collectorName(other.collector) }),
      region(3, 'simulated', {}),
    ],
  });
  backend = await startBackend('one');
});

afterAll(async () => {
  await server.close();
  await Promise.all([backend.kill(), own.close(), other.close()]);
});

const done = (call: Promise<Reply>) => createdBy(server, call);

const heard = (collector: TestCollector, path: string) =>
  waitUntil(() => collector.received.find(({ text }) => text.includes(`GET ${path} `)), { what: path });

test('logs go to the region that they are destined for, under the topic that they have now', async () => {
  const members = [{ address: '127.0.0.1', protocol_port: backend.port }];
  const pools = [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members }];
  const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: 8087, pools }];
  const created = await done(
    server.call('POST', LBS, { body: { name: 'front', logging: { enabled: true }, listeners } }),
  );
  const id = String(created?.loadbalancers?.[0]);
  const { body: made } = await server.call('GET', `${LBS}/${id}`);
  expect(made.logging).toEqual({
    enabled: true,
    destination_region_id: 1,
    topic_name: `lb-${id}`,
    retention_policy: null,
  });
  const url = `http://${made.vip_address}:8087`;
  const ask = async (path: string) => expect((await get(url + path)).status).toBe(200);
  const change = (body: object) => done(server.call('PATCH', `/cloud/v2/loadbalancers/1/1/${id}`, { body }));

  await ask('/default');
  const first = await heard(own, '/default');
  expect([first.appName, first.data.get('load_balancer_name')]).toEqual([`lb-${id}`, 'front']);
  expect(first.data.get('listener_id')).toBe(created?.listeners?.[0]);

  await change({ logging: { enabled: true, topic_name: 'shop.web', destination_region_id: 2 } });
  await ask('/moved');
  expect((await heard(other, '/moved')).appName).toBe('shop.web');

  await change({ name: 'back-door' });
  await ask('/renamed');
  expect((await heard(other, '/renamed')).data.get('load_balancer_name')).toBe('back-door');

  await change({ logging: { enabled: true, topic_name: 'shop.web', destination_region_id: 3 } });
  await ask('/kept');
  await change({ logging: { enabled: true, topic_name: 'shop.web', destination_region_id: 1 } });
  await ask('/home');
  await heard(own, '/home');
  await change({ logging: { enabled: false } });
  await ask('/silent');
  await done(server.call('DELETE', `${LBS}/${id}`));
  expect(own.paths().filter((path) => path !== '/kept')).toEqual(['/default', '/home']);
  expect(other.paths()).toEqual(['/moved', '/renamed']);
});

test('a region that does not exist is refused, in words', async () => {
  const logging = { enabled: true, destination_region_id: 77 };
  const reply = await server.call('POST', LBS, { body: { name: 'nowhere', logging } });
  expect([reply.status, reply.body.invalid_fields]).toEqual([
    400,
    { 'logging.destination_region_id': ['must be one of: 1, 2, 3'] },
  ]);
});
