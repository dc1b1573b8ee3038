import { describe, expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { sharedBackend, startBackend } from './test-support/backend.ts';
import { get, startLoad } from './test-support/client.ts';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { operation, startProvider } from './test-support/provider.ts';

const one = sharedBackend('one');
const two = sharedBackend('two');
const site = shared(startProvider);

async function basic(change: Parameters<typeof pool>[0] = {}) {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const members = [member(one.port), member(two.port)];
  const web = pool({ members, healthMonitor: monitor(), ...change });
  const front = listener({ defaultPoolId: web.id });
  return {
    lb: loadBalancer({ vipAddress, listeners: [front], pools: [web] }),
    web,
    front,
    url: `http://${vipAddress}:8080/`,
  };
}

describe('a load balancer', () => {
  test('carries traffic to its members once apply resolves, and refuses connections once removed', async () => {
    const { lb, url } = await basic();
    await site.apply(lb);
    const bodies = new Set([(await get(url)).body, (await get(url)).body]);
    expect(bodies).toEqual(new Set(['one', 'two']));
    await site.provider.remove(lb.id, operation());
    await expect(get(url)).rejects.toThrow('ECONNREFUSED');
    expect((await site.provider.observe([lb.id])).size).toBe(0);
  });

  test('loses no request while members come, go and change weight, and while it is reloaded', async () => {
    const { lb, web, front, url } = await basic();
    await site.apply(lb);
    const load = startLoad(url);
    const [first, second] = web.members;
    const third = await startBackend('three');
    const newcomer = member(third.port);
    if (!first || !second) throw new Error('two members');
    let version = 1;
    const step = async (members: typeof web.members, extra: typeof lb.listeners = []) => {
      version += 1;
      await site.apply({ ...lb, version, pools: [{ ...web, members }], listeners: [front, ...extra] });
    };
    await step([first, second, newcomer]);
    await waitUntil(() => third.requests.length > 20, { what: 'traffic to the new member' });
    await step([{ ...first, weight: 0 }, second, newcomer]);
    await step([{ ...first, adminStateUp: false }, second, newcomer]);
    await step([second, newcomer]);
    await step([second, newcomer], [listener({ port: 8081, defaultPoolId: web.id })]);
    await step([first, second]);
    await step([first, second], []);
    await site.provider.apply({ ...lb, version }, operation('failover_loadbalancer', 'failover'));
    const { failures, requests } = await load.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    await third.kill();
    await site.provider.remove(lb.id, operation());
  });
});
