import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { memberNetworks } from '../addresses/member-networks.ts';
import { startBackend } from './test-support/backend.ts';
import { get } from './test-support/client.ts';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { startProvider } from './test-support/provider.ts';

/** A server that counts who comes. */
async function startTrap(): Promise<{ readonly port: number; visits(): number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, visits: () => visits };
}

test('a member that the API did not see gets no traffic and no checks, and comes back with the setting', async () => {
  const backend = await startBackend('reached');
  const trap = await startTrap();
  const open = startProvider();
  const vipAddress = await open.addresses.allocateAddress(new Set());
  const members = [
    member(backend.port, { id: 'good' }),
    member(trap.port, { id: 'trap' }),
    member(backend.port, {
      id: 'watched',
      address: '127.0.0.2',
      monitorAddress: '127.0.0.1',
      monitorPort: trap.port,
    }),
  ];
  const own = pool({ members, healthMonitor: monitor() });
  const lb = loadBalancer({ vipAddress, pools: [own], listeners: [listener({ defaultPoolId: own.id })] });
  await open.apply(lb);
  await expect.poll(trap.visits).toBeGreaterThan(0);

  const strict = open.restart(memberNetworks('', () => [{ host: '127.0.0.1', port: trap.port }]));
  await strict.reconcile([lb]);
  const { members: health } = await strict.observe(lb.id);
  expect(['good', 'trap', 'watched'].map((id) => health.get(id))).toEqual(['ONLINE', 'OFFLINE', 'OFFLINE']);
  expect(strict.warnings).toContainEqual(
    expect.stringMatching(/gets no traffic: .*this cloud's own programs/),
  );
  for (let request = 0; request < 4; request += 1)
    expect((await get(`http://${vipAddress}:8080/`)).body).toBe('reached');

  const again = strict.restart(memberNetworks(''));
  await again.reconcile([lb]);
  expect((await again.observe(lb.id)).members.get('trap')).not.toBe('OFFLINE');
  await again.close();
  await backend.kill();
});

test('an address of a load balancer is no member', async () => {
  const site = startProvider();
  onTestFinished(() => site.close());
  const vipAddress = await site.addresses.allocateAddress(new Set());
  await site.apply(loadBalancer({ vipAddress, pools: [], listeners: [listener({ defaultPoolId: null })] }));
  expect(site.provider.memberFault(vipAddress, 80)).toContain('is an address of a load balancer');
});
