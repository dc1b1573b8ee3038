import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Backend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { newDataDir, processesWith, removeDataDir, startVirga } from '../harness/process.ts';

const dataDir = newDataDir();
let backend: Backend;

beforeAll(async () => {
  backend = await startBackend('served');
});
afterAll(async () => {
  await backend.kill();
  removeDataDir(dataDir);
});

const body = (port: number) => ({
  name: 'web',
  listeners: [
    {
      ...{ name: 'http', protocol: 'HTTP', protocol_port: 8080 },
      pools: [
        {
          ...{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' },
          members: [{ address: '127.0.0.1', protocol_port: port }],
        },
      ],
    },
  ],
});

test('a service that is restarted hands its traffic over without a lost request; a stop ends it', {
  timeout: 120_000,
}, async () => {
  const env = { VIRGA_ON_SIGTERM: 'leave' };
  const first = await startVirga({ dataDir, env });
  const all = '/cloud/v1/loadbalancers/1/1';
  const task = await first.ended(await first.call('POST', all, body(backend.port)));
  expect(task.error).toBeNull();
  const { body: lb } = await first.call('GET', `${all}/${task.created_resources?.loadbalancers?.[0]}`);
  const engines = () => processesWith(lb.id);
  const before = engines();
  expect(before).toHaveLength(1);
  const load = startLoad(`http://${lb.vip_address}:8080/`);
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await startVirga({ dataDir, env });
  expect(engines()).toEqual(before);
  const { requests, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(0);
  expect(await second.end('SIGINT')).toBe(0);
  expect(engines()).toEqual([]);
});
