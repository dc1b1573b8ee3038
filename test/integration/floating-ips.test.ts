import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalServer } from '../harness/regions.ts';
import type { TestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Traffic through a floating IP, from API to a real HAProxy. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const FIPS = '/cloud/v1/floatingips/1/1';
const PORT = 8089;

const server = shared(startLocalServer);
const members: http.Server[] = [];

beforeAll(async () => {});

afterAll(async () => {
  for (const member of members) {
    member.close();
    member.closeAllConnections();
  }
});

/** A load balancer with one member that answers with its name. */
async function balancer(
  name: string,
  floating_ip?: object,
): Promise<{ id: string; port: string; vip: string }> {
  const member = http.createServer((_request, response) => response.end(name));
  members.push(member);
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  const { port: protocol_port } = member.address() as AddressInfo;
  const pool = {
    name,
    protocol: 'HTTP',
    lb_algorithm: 'ROUND_ROBIN',
    members: [{ address: '127.0.0.1', protocol_port }],
  };
  const listeners = [{ name, protocol: 'HTTP', protocol_port: PORT, pools: [pool] }];
  const task = await finished(
    await server.call('POST', LBS, { body: { name, listeners, ...(floating_ip ? { floating_ip } : {}) } }),
  );
  const id = String(task.created_resources?.loadbalancers?.[0]);
  const { body } = await server.call('GET', `${LBS}/${id}`);
  return { id, port: body.vip_port_id, vip: body.vip_address };
}

async function finished(reply: Awaited<ReturnType<TestServer['call']>>) {
  const task = await server.ended(reply);
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return task;
}

const answer = async (address: string) =>
  (await fetch(`http://${address}:${PORT}/`, { headers: { connection: 'close' } })).text();
const assign = async (id: string, port_id: string | null) => {
  const path = `${FIPS.replace('/v1/', '/v2/')}/${id}`;
  await finished(await server.call('PATCH', path, { body: { port_id } }));
};

test('traffic follows a floating IP, and stops when it leads nowhere', async () => {
  const [one, two] = [await balancer('one'), await balancer('two')];
  const task = await finished(await server.call('POST', FIPS, { body: {} }));
  const id = String(task.created_resources?.floatingips?.[0]);
  const { floating_ip_address: address } = (await server.call('GET', `${FIPS}/${id}`)).body;
  expect(address).not.toBe(one.vip);
  await expect(answer(address)).rejects.toThrow();

  await assign(id, one.port);
  expect(await Promise.all([answer(address), answer(one.vip)])).toEqual(['one', 'one']);

  await assign(id, two.port);
  expect(await Promise.all([answer(address), answer(one.vip), answer(two.vip)])).toEqual([
    'two',
    'one',
    'two',
  ]);

  await assign(id, null);
  await expect(answer(address)).rejects.toThrow();
  expect(await answer(two.vip)).toBe('two');

  await assign(id, one.port);
  expect(await answer(address)).toBe('one');
  await finished(await server.call('DELETE', `${LBS}/${one.id}`));
  await expect(answer(address)).rejects.toThrow();
  expect((await server.call('GET', `${FIPS}/${id}`)).body).toMatchObject({ status: 'DOWN', port_id: null });

  const three = await balancer('three', { source: 'existing', existing_floating_id: id });
  expect(await Promise.all([answer(address), answer(three.vip)])).toEqual(['three', 'three']);
  await finished(await server.call('DELETE', `${FIPS}/${id}`));
  await expect(answer(address)).rejects.toThrow();
  expect(await answer(three.vip)).toBe('three');
});
