import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { allPids, commandLine } from '../../../kernel/processes.ts';
import { emptyState } from './state.ts';
import { type Backend, startBackend } from './test-support/backend.ts';
import { get, startLoad } from './test-support/client.ts';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { operation, startProvider, type TestProvider } from './test-support/provider.ts';

let backend: Backend;
let site: TestProvider;

beforeAll(async () => {
  backend = await startBackend('member');
});
afterAll(() => backend.kill());
beforeEach(() => {
  site = startProvider();
});
afterEach(() => site.close());

async function build(of = site) {
  const vipAddress = await of.addresses.allocateAddress(new Set());
  const web = pool({ members: [member(backend.port)], healthMonitor: monitor() });
  const front = listener({ defaultPoolId: web.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
  return { lb, web, front, url: `http://${vipAddress}:8080/` };
}

/** Pids of data planes of this data directory. */
function dataPlanes(dataDir: string): number[] {
  return allPids().filter((pid) => commandLine(pid).some((word) => word.includes(dataDir)));
}

describe('after the server was killed', () => {
  test('the data plane carries traffic on, and the next server adopts it as it is', async () => {
    const { lb, url } = await build();
    await site.apply(lb);
    const before = dataPlanes(site.dataDir);
    const load = startLoad(url);
    site = site.restart();
    expect((await site.observe(lb.id)).version).toBe(1);
    await site.reconcile([lb]);
    expect((await load.stop()).failures).toEqual([]);
    expect(dataPlanes(site.dataDir)).toEqual(before);
    expect((await site.observe(lb.id)).version).toBe(1);
  });

  test('what has changed meanwhile is reloaded, what is missing is started, what nobody wants ends', async () => {
    const [kept, unwanted, missing] = [await build(), await build(), await build()];
    await site.apply(kept.lb);
    await site.apply(unwanted.lb);
    site = site.restart();
    const moved = { ...kept.lb, version: 2, listeners: [{ ...kept.front, port: 8099 }] };
    await site.reconcile([moved, missing.lb]);
    expect((await get(`http://${kept.lb.vipAddress}:8099/`)).status).toBe(200);
    await expect(get(kept.url)).rejects.toThrow('ECONNREFUSED');
    expect((await get(missing.url)).status).toBe(200);
    await expect(get(unwanted.url)).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(join(site.dataDir, 'load-balancers', unwanted.lb.id))).toBe(false);
  });

  test('in the middle of a change, the next server makes sure what is served', async () => {
    const { lb, url } = await build();
    await site.apply(lb);
    const [before = 0] = dataPlanes(site.dataDir);
    const path = join(site.dataDir, 'load-balancers', lb.id, 'state.json');
    // As noted before a reload whose process came up, but whose note was never written.
    writeFileSync(
      path,
      JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), changing: true, process: null }),
    );
    const load = startLoad(url);
    site = site.restart();
    await site.reconcile([lb]);
    expect((await load.stop()).failures).toEqual([]);
    await waitUntil(() => !dataPlanes(site.dataDir).includes(before), { what: 'the end of the old process' });
    expect(dataPlanes(site.dataDir).length).toBe(1);
  });

  test('in the middle of a creation, the next server goes on with the process that came up', async () => {
    const { lb, url } = await build();
    await site.apply(lb);
    const path = join(site.dataDir, 'load-balancers', lb.id, 'state.json');
    // As noted before the first start, after which the process came up, but nothing was noted any more.
    writeFileSync(path, JSON.stringify({ ...emptyState(lb.id), changing: true }));
    site = site.restart();
    await site.apply(lb);
    expect((await get(url)).status).toBe(200);
    await site.reconcile([lb]);
    await waitUntil(() => dataPlanes(site.dataDir).length === 1, { what: 'one process to be left' });
    expect((await get(url)).status).toBe(200);
  });

  test('what came up although its start was killed gives way to what is started again', async () => {
    const { lb, url } = await build();
    await site.apply(lb);
    const [before = 0] = dataPlanes(site.dataDir);
    site = site.restart();
    // As after a start that was said to have failed: what there was of the load balancer is removed.
    const balancers = join(site.dataDir, 'load-balancers');
    const sockets = readdirSync(join(balancers, 'cli')).map((name) => join('cli', name));
    for (const left of [lb.id, ...sockets]) rmSync(join(balancers, left), { recursive: true });
    await site.apply(lb);
    expect((await get(url)).status).toBe(200);
    expect(dataPlanes(site.dataDir)).toHaveLength(1);
    expect(dataPlanes(site.dataDir)).not.toContain(before);
  });

  test('all members can still be changed without a reload', async () => {
    const { lb, web } = await build();
    await site.apply(lb);
    const before = dataPlanes(site.dataDir);
    site = site.restart();
    await site.reconcile([lb]);
    const members = [...web.members, member(backend.port)];
    await site.apply({ ...lb, version: 2, pools: [{ ...web, members }] });
    expect(dataPlanes(site.dataDir)).toEqual(before);
    expect((await site.observe(lb.id)).members.size).toBe(2);
  });
});

test('a HAProxy that is killed by hand is back by itself', async () => {
  const { lb, url } = await build();
  await site.apply(lb);
  const [pid = 0] = dataPlanes(site.dataDir);
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => (await get(url)).status === 200 && !dataPlanes(site.dataDir).includes(pid), {
    what: 'the new process',
  });
  await waitUntil(() => site.warnings.includes('what a load balancer had lost is back'), {
    what: 'the warning',
  });
});

test('one look that fails does not end the watch over load balancers', async () => {
  let isOutOfFiles = false;
  const hold = async <T>(change: () => Promise<T>) => {
    if (isOutOfFiles) throw new Error('too many open files');
    return change();
  };
  const own = startProvider(undefined, undefined, undefined, { isOwner: true, hold });
  const { lb, url } = await build(own);
  await own.apply(lb);
  isOutOfFiles = true;
  await waitUntil(() => own.warnings.includes('load balancer: watch failed'), { what: 'the failed look' });
  isOutOfFiles = false;
  const [pid = 0] = dataPlanes(own.dataDir);
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => (await get(url)).status === 200, { what: 'the new process' });
  await own.close();
});

test('a list made before the newest change reverts nothing: what is desired is asked when its turn has come', async () => {
  const { lb, url } = await build();
  await site.apply({ ...lb, version: 2 });
  await site.provider.reconcile([{ id: lb.id, version: 1 }], async () => undefined);
  expect((await get(url)).status).toBe(200);
  await site.provider.reconcile([], async () => ({ ...lb, version: 2 }));
  expect((await get(url)).status).toBe(200);
  await site.provider.remove(lb.id, operation());
  await site.provider.reconcile([{ id: lb.id, version: 2 }], async () => null);
  await expect(get(url)).rejects.toThrow('ECONNREFUSED');
});

test('what serves the version that is listed is not asked for, but once after a start', async () => {
  const { lb } = await build();
  await site.apply(lb);
  site = site.restart();
  const requested: string[] = [];
  for (let pass = 0; pass < 2; pass += 1)
    await site.provider.reconcile([lb], async (id) => {
      requested.push(id);
      return lb;
    });
  expect(requested).toEqual([lb.id]);
});

test('every call can be repeated', async () => {
  const { lb, url } = await build();
  await site.apply(lb);
  const before = dataPlanes(site.dataDir);
  await site.apply(lb);
  await site.reconcile([lb]);
  expect(dataPlanes(site.dataDir)).toEqual(before);
  expect((await get(url)).status).toBe(200);
  // Also known to the next server, from what is noted.
  site = site.restart();
  await site.reconcile([lb]);
  const sendsTo = ['127.0.0.1', '127.0.0.11', '27.0.0.1'].map((address) => site.provider.sendsTo(address));
  expect(sendsTo).toEqual([true, false, false]);
  await site.provider.remove(lb.id, operation());
  await site.provider.remove(lb.id, operation());
  expect(dataPlanes(site.dataDir)).toEqual([]);
});

test('a failover replaces the process once for each task and loses no request', async () => {
  const { lb, url } = await build();
  await site.apply(lb);
  const [before = 0] = dataPlanes(site.dataDir);
  const load = startLoad(url);
  await site.provider.apply(lb, operation('failover_loadbalancer', 'task-1'));
  expect((await load.stop()).failures).toEqual([]);
  await waitUntil(() => !dataPlanes(site.dataDir).includes(before), { what: 'the end of the old process' });
  const after = dataPlanes(site.dataDir);
  expect(after.length).toBe(1);
  await site.provider.apply(lb, operation('failover_loadbalancer', 'task-1'));
  expect(dataPlanes(site.dataDir)).toEqual(after);
});

test('a graceful stop ends every process, and the next start brings all back', async () => {
  const { lb, url } = await build();
  await site.apply(lb);
  await site.provider.close('stop');
  expect(dataPlanes(site.dataDir)).toEqual([]);
  await expect(get(url)).rejects.toThrow('ECONNREFUSED');
  site = startProvider(site.dataDir);
  await site.reconcile([lb]);
  expect((await get(url)).status).toBe(200);
});

test('what is switched off carries no traffic', async () => {
  const { lb, web, front, url } = await build();
  await site.apply(lb);
  await site.apply({ ...lb, version: 2, pools: [{ ...web, adminStateUp: false }] });
  expect((await get(url)).status).toBe(503);
  await site.apply({ ...lb, version: 3, listeners: [{ ...front, adminStateUp: false }] });
  await expect(get(url)).rejects.toThrow('ECONNREFUSED');
  await site.apply({ ...lb, version: 4 });
  expect((await get(url)).status).toBe(200);
  await site.apply({ ...lb, version: 5, adminStateUp: false });
  await expect(get(url)).rejects.toThrow('ECONNREFUSED');
  expect((await site.observe(lb.id)).version).toBe(5);
  expect(dataPlanes(site.dataDir)).toEqual([]);
});

describe('a port that somebody else holds', () => {
  test.each(['the address itself', '0.0.0.0'])(
    'on %s is refused, and only the log names the holder',
    async (where) => {
      const { lb, front } = await build();
      const holder = createServer();
      const host = where === '0.0.0.0' ? where : lb.vipAddress;
      await new Promise<void>((resolve) => holder.listen(0, host, resolve));
      const { port } = holder.address() as AddressInfo;
      const desired = { ...lb, listeners: [{ ...front, port }] };
      await expect(site.apply(desired)).rejects.toMatchObject({
        message: `TCP port ${port} of ${lb.vipAddress} is already in use by another program`,
        cause: { message: expect.stringContaining(`in use by node (pid ${process.pid})`) },
      });
      expect(readdirSync(join(site.dataDir, 'load-balancers'))).not.toContain(lb.id);
      await new Promise((resolve) => holder.close(resolve));
    },
  );

  test('by another HAProxy is refused, although the kernel would let both have it', async () => {
    const [first, second] = [await build(), await build()];
    await site.apply(first.lb);
    const shared = { ...second.lb, vipAddress: first.lb.vipAddress };
    await expect(site.apply(shared)).rejects.toMatchObject({
      message: expect.stringMatching(/in use by another program$/),
      cause: { message: expect.stringContaining('in use by haproxy (pid') },
    });
  });
});

test("what HAProxy refuses is reported in the user's terms, and what was served goes on", async () => {
  const { lb, front, url } = await build();
  await site.apply(lb);
  const rule = {
    id: 'rule-1',
    type: 'PATH',
    compareType: 'REGEX',
    key: null,
    value: '(unclosed',
    invert: false,
  } as const;
  const policy = {
    id: 'policy-1',
    action: 'REJECT',
    redirectUrl: null,
    redirectPrefix: null,
    redirectPoolId: null,
    redirectHttpCode: null,
    rules: [rule],
  } as const;
  const wrong = { ...lb, version: 2, listeners: [{ ...front, l7Policies: [policy] }] };
  await expect(site.apply(wrong)).rejects.toThrow(
    /^The L7 rule rule-1 is not accepted by HAProxy: regex '\(unclosed' is invalid .*missing closing parenthesis/,
  );
  expect((await get(url)).status).toBe(200);
  const fresh = { ...wrong, id: 'fresh', vipAddress: await site.addresses.allocateAddress(new Set()) };
  await expect(site.apply(fresh)).rejects.toThrow('The L7 rule rule-1 is not accepted by HAProxy');
  expect(readdirSync(join(site.dataDir, 'load-balancers'))).not.toContain('fresh');
  await site.apply({ ...lb, version: 3 });
  expect((await get(url)).status).toBe(200);
});
