import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE_MS, waitUntil } from '../../../../../test/harness/wait.ts';
import { allPids, commandLine } from '../../../kernel/processes.ts';
import { accessLog, listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { operation, startProvider, type TestProvider } from './test-support/provider.ts';
import { exchange } from './test-support/udp.ts';

let site: TestProvider;

beforeAll(() => {
  site = startProvider();
});
afterAll(() => site.close());

interface Echo {
  readonly port: number;
  close(): Promise<void>;
}

/** A UDP server that answers with its name and what it got.
 *  @throws when somebody has the port */
function startEcho(name: string, port = 0): Promise<Echo> {
  const socket = createSocket('udp4');
  socket.on('message', (text, from) => socket.send(`${name}:${text.toString()}`, from.port, from.address));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, '127.0.0.1', () =>
      resolve({
        port: socket.address().port,
        close: () => new Promise<void>((closed) => socket.close(() => closed())),
      }),
    );
  });
}

/** Sends one packet from a port of its own, and waits for its answer. */
const ask = (host: string, port: number, text: string) =>
  exchange(createSocket('udp4'), { host, port, text }, PATIENCE_MS);

/** The same where there may be none: then an empty text, after half a second. */
const askInVain = (host: string, port: number, text: string) =>
  exchange(createSocket('udp4'), { host, port, text }, 500);

async function build(members: ReturnType<typeof member>[], change: Parameters<typeof pool>[0] = {}) {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const dns = pool({
    protocol: 'UDP',
    members,
    timeoutsMs: { clientData: null, memberConnect: null, memberData: 20_000 },
    ...change,
  });
  const front = listener({ protocol: 'UDP', port: 5353, defaultPoolId: dns.id });
  return { lb: loadBalancer({ vipAddress, listeners: [front], pools: [dns] }), dns, front, vipAddress };
}

/** A session ends once it was silent for this long. */
const SHORT_SESSIONS = { clientData: null, memberConnect: null, memberData: 2_000 };

test('packets reach all members, and a removed load balancer is silent', async () => {
  const [one, two] = [await startEcho('one'), await startEcho('two')];
  const { lb, vipAddress } = await build([member(one.port), member(two.port)]);
  await site.apply(lb);
  const answers = [];
  for (let count = 0; count < 4; count += 1) answers.push(await ask(vipAddress, 5353, 'hi'));
  expect(new Set(answers)).toEqual(new Set(['one:hi', 'two:hi']));
  expect(site.provider.sendsTo('127.0.0.1')).toBe(true);
  await site.provider.remove(lb.id, operation());
  expect(site.provider.sendsTo('127.0.0.1')).toBe(false);
  expect(await askInVain(vipAddress, 5353, 'hi')).toBe('');
  expect(allPids().filter((pid) => commandLine(pid).join(' ').includes(lb.id))).toEqual([]);
  await Promise.all([one.close(), two.close()]);
});

test('a member that refuses packets is ERROR, gets none, and comes back', async () => {
  const [one, two] = [await startEcho('one'), await startEcho('two')];
  const [stays, dies] = [member(one.port), member(two.port)];
  const { lb, vipAddress } = await build([stays, dies], { healthMonitor: monitor({ type: 'UDP-CONNECT' }) });
  await site.apply(lb);
  const health = async () => (await site.observe(lb.id)).members.get(dies.id);
  expect(await health()).toBe('ONLINE');
  await two.close();
  await waitUntil(async () => (await health()) === 'ERROR', { what: 'ERROR' });
  expect((await site.observe(lb.id)).lastChecks.get(dies.id)?.reason).toContain(
    'Connection refused: nothing listens on UDP port',
  );
  const answers = async () => {
    const heard = new Set<string>();
    for (let count = 0; count < 12; count += 1) heard.add(await askInVain(vipAddress, 5353, 'hi'));
    return [...heard].join();
  };
  await waitUntil(async () => (await answers()) === 'one:hi', { what: 'the living member alone' });
  // A session of nginx may have got the port that was free, and has it until it was silent for long enough.
  const again = await waitUntil(() => startEcho('again', two.port), { what: 'the port to be free again' });
  await waitUntil(async () => (await health()) === 'ONLINE', { what: 'ONLINE' });
  await waitUntil(async () => (await askInVain(vipAddress, 5353, 'hi')) === 'again:hi', { what: 'traffic' });
  await Promise.all([one.close(), again.close()]);
});

test('a TCP monitor of a UDP pool decides too', async () => {
  const echo = await startEcho('echo');
  const target = member(echo.port, { monitorPort: 1 });
  const { lb, vipAddress } = await build([target], { healthMonitor: monitor({ type: 'TCP' }) });
  await site.apply(lb);
  await waitUntil(async () => (await site.observe(lb.id)).members.get(target.id) === 'ERROR', {
    what: 'ERROR',
  });
  await waitUntil(async () => (await askInVain(vipAddress, 5353, 'hi')) === '', { what: 'silence' });
  await echo.close();
});

test('one client keeps its member, where the pool says so', async () => {
  const [one, two] = [await startEcho('one'), await startEcho('two')];
  const sessionPersistence = {
    type: 'SOURCE_IP',
    cookieName: null,
    persistenceTimeout: null,
    persistenceGranularity: '255.255.255.0',
  } as const;
  const { lb, vipAddress } = await build([member(one.port), member(two.port)], { sessionPersistence });
  await site.apply(lb);
  const answers = new Set<string>();
  for (let count = 0; count < 6; count += 1) answers.add(await ask(vipAddress, 5353, 'hi'));
  expect(answers.size).toBe(1);
  await Promise.all([one.close(), two.close()]);
});

test('sessions are counted, over changes and restarts of the server', async () => {
  const echo = await startEcho('echo');
  const { lb, front, vipAddress } = await build([member(echo.port)], { timeoutsMs: SHORT_SESSIONS });
  await site.apply(lb);
  const stats = async () => (await site.observe(lb.id)).listenerStats.get(front.id);
  const client = createSocket('udp4');
  let packets = 0;
  const isSeen = async () => {
    // A session that is used stays open, however long the look takes.
    client.send('hello', 5353, vipAddress);
    packets += 1;
    return (await stats())?.activeConnections === 1;
  };
  await waitUntil(isSeen, { what: 'the open session' });
  await waitUntil(async () => (await stats())?.bytesIn === 5 * packets, { what: 'the end of the session' });
  const { totalConnections = 0, ...others } = (await stats()) ?? {};
  expect(others).toEqual({
    activeConnections: 0,
    requestErrors: 0,
    bytesIn: 5 * packets,
    bytesOut: 10 * packets,
  });
  expect(totalConnections).toBeGreaterThan(0);
  client.close();
  site = site.restart();
  await site.reconcile([lb]);
  await ask(vipAddress, 5353, 'hello');
  await waitUntil(async () => (await stats())?.totalConnections === totalConnections + 1, {
    what: 'the next session',
  });
  await echo.close();
});

test('an nginx that is killed by hand is back by itself', async () => {
  const echo = await startEcho('echo');
  const { lb, vipAddress } = await build([member(echo.port)]);
  await site.apply(lb);
  const master = allPids().find((pid) => commandLine(pid).join(' ').includes(`${lb.id}/nginx.conf`));
  process.kill(master ?? 0, 'SIGKILL');
  await waitUntil(() => site.warnings.includes('what a load balancer had lost is back'), {
    what: 'the new process',
  });
  await waitUntil(async () => (await askInVain(vipAddress, 5353, 'hi')) === 'echo:hi', {
    what: 'an answer',
  });
  await echo.close();
});

test('a member that a change removed gets no packet, also when the server was killed during that change', async () => {
  const [stays, goes] = [await startEcho('stays'), await startEcho('goes')];
  const members = [member(stays.port), member(goes.port)];
  const { lb, dns, vipAddress } = await build(members);
  const less = { ...lb, pools: [{ ...dns, members: members.slice(0, 1) }] };
  const file = (name: string) => join(site.dataDir, 'load-balancers', lb.id, name);
  await site.apply({ ...less, version: 1 });
  const config = readFileSync(file('nginx.conf'), 'utf8');
  await site.apply({ ...lb, version: 2 });
  writeFileSync(file('nginx.conf'), config);
  const state = JSON.parse(readFileSync(file('state.json'), 'utf8'));
  writeFileSync(file('state.json'), JSON.stringify({ ...state, changing: true }));
  site = site.restart();
  await site.apply({ ...less, version: 3 });
  const answers = new Set<string>();
  for (let count = 0; count < 6; count += 1) answers.add(await ask(vipAddress, 5353, 'hi'));
  expect([...answers]).toEqual(['stays:hi']);
  await site.provider.remove(lb.id, operation());
  await Promise.all([stays.close(), goes.close()]);
});

test('a UDP port that somebody else holds is refused by the name of the holder', async () => {
  const { lb, vipAddress } = await build([member(1)]);
  const holder = createSocket('udp4');
  await new Promise<void>((resolve) => holder.bind(5353, vipAddress, resolve));
  await expect(site.apply(lb)).rejects.toThrow(
    `UDP port 5353 of ${vipAddress} is already in use by another program`,
  );
  await new Promise<void>((resolve) => holder.close(resolve));
});

test('UDP sessions are in the access log', async () => {
  const echo = await startEcho('echo');
  const { lb, vipAddress } = await build([member(echo.port)], { timeoutsMs: SHORT_SESSIONS });
  await site.apply({ ...lb, accessLog: accessLog({ topic: 'dns' }) });
  await ask(vipAddress, 5353, 'hello');
  const path = join(site.dataDir, 'load-balancers', lb.id, 'access.log');
  const line = await waitUntil(() => readFileSync(path, 'utf8') || null, { what: 'a line' });
  const [listenerId] = lb.listeners.map(({ id }) => id);
  const [time, ...words] = line.split(' ');
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  expect(words.join(' ').replace(`listener-${listenerId}`, 'LISTENER')).toMatch(
    /^127\.0\.0\.1:\d+ \[.*\] LISTENER UDP 127\.0\.0\.1:\d+ 200 5 10 \d+\.\d+\n$/,
  );
  await echo.close();
});

test('a failover replaces nginx once for each task, and the next packet is answered', async () => {
  const one = await startEcho('one');
  const { lb, vipAddress } = await build([member(one.port)]);
  await site.apply(lb);
  const master = () =>
    Number(readFileSync(join(site.dataDir, 'load-balancers', lb.id, 'nginx/nginx.pid'), 'utf8'));
  const before = master();
  await site.provider.apply(lb, operation('failover_loadbalancer', 'task-1'));
  expect(await ask(vipAddress, 5353, 'hi')).toBe('one:hi');
  await waitUntil(() => !allPids().includes(before), { what: 'the end of the old nginx' });
  const after = master();
  expect(after).not.toBe(before);
  await site.provider.apply(lb, operation('failover_loadbalancer', 'task-1'));
  expect(master()).toBe(after);
  await site.provider.remove(lb.id, operation());
  await one.close();
});

test('the flavor bounds how many sessions there may be at one time', async () => {
  const { lb } = await build([]);
  const connections = () => {
    const path = join(site.dataDir, 'load-balancers', lb.id, 'nginx.conf');
    return Number(/worker_connections (\d+);/.exec(readFileSync(path, 'utf8'))?.[1]);
  };
  await site.apply({ ...lb, flavor: { name: 'small', vcpus: 1, ramMiB: 50 } });
  expect(connections()).toBe(400);
  await site.apply({ ...lb, version: 2, flavor: { name: 'large', vcpus: 1, ramMiB: 100 } });
  expect(connections()).toBe(800);
  await site.provider.remove(lb.id, operation());
});
