import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { hasAddresses } from '../../server/src/providers/local/addresses/loopback.ts';
import {
  testIpv6 as test,
  urlOf,
} from '../../server/src/providers/local/load-balancers/test-support/ipv6.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** A load balancer of both IP versions while its server is killed, restarted and stopped. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const PORT = 8094;

let dataDir: string;
let member: Server;
let virga: VirgaProcess;

beforeAll(async () => {
  dataDir = newDataDir();
  member = createServer((_request, response) => response.end('here'));
  await new Promise<void>((resolve) => member.listen(0, '::1', resolve));
  virga = await startVirga({ dataDir });
});

afterAll(async () => {
  await virga?.end('SIGTERM').catch(() => undefined);
  member?.close();
  removeDataDir(dataDir);
});

const answers = async (addresses: readonly string[]) =>
  Promise.all(
    addresses.map(async (address) =>
      (await fetch(urlOf(address, PORT), { headers: { connection: 'close' } })).text(),
    ),
  );

test('both addresses outlive the server that is killed, and go with the one that stops', async () => {
  const { port: protocol_port } = member.address() as AddressInfo;
  const members = [{ address: '::1', protocol_port }];
  const pools = [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members }];
  const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: PORT, pools }];
  const body = { name: 'web', vip_ip_family: 'dual', listeners };
  const task = await virga.ended(await virga.call('POST', LBS, body));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  const id = task.created_resources?.loadbalancers?.[0];
  const shown = (await virga.call('GET', `${LBS}/${id}`)).body;
  const addresses = [shown.vip_address, shown.additional_vips[0].ip_address] as const;
  const [, six] = addresses;
  expect(await answers(addresses)).toEqual(['here', 'here']);

  await virga.end('SIGKILL');
  expect(await answers(addresses)).toEqual(['here', 'here']);
  virga = await startVirga({ dataDir });
  await waitUntil(
    async () => (await virga.call('GET', `${LBS}/${id}?show_stats=true`)).body.stats.total_connections === 4,
    { what: 'the data plane to be adopted, with what it has counted' },
  );
  expect(await answers(addresses)).toEqual(['here', 'here']);
  expect((await virga.call('GET', `${LBS}/${id}`)).body).toMatchObject({
    vip_address: addresses[0],
    additional_vips: [{ ip_address: six }],
  });

  await virga.end('SIGTERM');
  expect(hasAddresses([six])).toBe(false);
  await expect(answers(addresses)).rejects.toThrow();
  virga = await startVirga({ dataDir });
  await waitUntil(async () => (await answers(addresses)).join() === 'here,here', { what: 'both to be back' });

  // Killed in the middle of a creation: the next server ends it, with both addresses or without a trace.
  const second = await virga.call('POST', LBS, { ...body, name: 'second' });
  await virga.end('SIGKILL');
  virga = await startVirga({ dataDir });
  const ended = await virga.ended(second);
  expect(ended).toMatchObject({ state: 'FINISHED' });
  const other = (await virga.call('GET', `${LBS}/${ended.created_resources?.loadbalancers?.[0]}`)).body;
  expect(await answers([other.vip_address, other.additional_vips[0].ip_address])).toEqual(['here', 'here']);
  for (const lb of [id, other.id]) await virga.ended(await virga.call('DELETE', `${LBS}/${lb}`));
  expect([hasAddresses([six]), hasAddresses([other.additional_vips[0].ip_address])]).toEqual([false, false]);
});
