import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access } from './calls.ts';
import { EMPTY, inventory, LBS, REGION, startCloudServer, takeTurns } from './cloud.ts';
import { ask, type Guest, startGuest } from './guests.ts';

/** Packets from outside go through a floating IP and a load balancer of OVN to servers that come, die and go. */

describe.skipIf(!access)('packets through OpenStack (npm run openstack -- up starts one)', () => {
  let server: TestServer;
  const guests: Guest[] = [];
  takeTurns();
  beforeAll(async () => {
    server = await startCloudServer('ovn');
    for (const name of ['one', 'two']) guests.push(await startGuest(name));
  });
  afterAll(async () => {
    for (const guest of guests) await guest.close();
    await server.close();
  });

  const body = (protocol: string, algorithm: string) => ({
    name: 'web',
    floating_ip: { source: 'new' },
    listeners: [
      {
        name: 'front',
        protocol,
        protocol_port: 80,
        pools: [
          {
            name: 'servers',
            protocol,
            lb_algorithm: algorithm,
            members: guests.map(({ address }) => ({ address, protocol_port: 8080 })),
            healthmonitor: { type: 'TCP', delay: 2, timeout: 1, max_retries: 1, max_retries_down: 1 },
          },
        ],
      },
    ],
  });

  test('what OVN cannot do is refused, and what it can carries packets while servers die and go', async () => {
    const refused = await server.call('POST', LBS, { body: body('HTTP', 'ROUND_ROBIN') });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toMatch(/listeners\.0\.protocol.*OVN balances connections alone/);
    const accepted = await server.call('POST', LBS, { body: body('TCP', 'SOURCE_IP') });
    expect(accepted).toMatchObject({ status: 200 });
    const created = await server.ended(accepted);
    expect(created).toMatchObject({ state: 'FINISHED', error: null });
    const id = String(created.created_resources?.loadbalancers?.[0]);
    const get = async () => (await server.call('GET', `${LBS}/${id}`)).body;
    const [{ floating_ip_address: outside, id: floating }] = (await get()).floating_ips;
    const url = `http://${outside}/`;
    const first = await waitUntil(async () => (await ask(url)) || undefined, {
      what: `an answer of ${url}`,
      intervalMs: 500,
    });
    expect(['one', 'two']).toContain(first);

    const other = first === 'one' ? 'two' : 'one';
    guests[first === 'one' ? 0 : 1]?.kill();
    await waitUntil(async () => (await ask(url)) === other, { what: `${other} to answer`, intervalMs: 500 });
    await waitUntil(async () => (await get()).operating_status === 'DEGRADED', { what: 'DEGRADED' });

    const pool = created.created_resources?.pools?.[0];
    const dead = guests[first === 'one' ? 0 : 1]?.address;
    const { body: pools } = await server.call('GET', `/cloud/v1/lbpools/1/${REGION}/${pool}`);
    const member = pools.members.find((each: { address: string }) => each.address === dead);
    const gone = await server.call('DELETE', `/cloud/v1/lbpools/1/${REGION}/${pool}/member/${member.id}`);
    expect(await server.ended(gone)).toMatchObject({ state: 'FINISHED' });
    expect(await ask(url)).toBe(other);
    await waitUntil(async () => (await get()).operating_status === 'ONLINE', { what: 'ONLINE' });

    expect(await server.ended(await server.call('DELETE', `${LBS}/${id}`))).toMatchObject({
      state: 'FINISHED',
    });
    expect(await ask(url)).toBe('');
    const freed = await server.call('DELETE', `/cloud/v1/floatingips/1/${REGION}/${floating}`);
    expect(await server.ended(freed)).toMatchObject({ state: 'FINISHED' });
    expect(await inventory()).toEqual(EMPTY);
  });
});
