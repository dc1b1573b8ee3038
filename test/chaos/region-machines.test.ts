import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webBalancer } from '../harness/balancer.ts';
import { cableFault } from '../harness/cable.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { processesIn } from '../harness/leftovers.ts';
import { Clients, Segment } from '../harness/machines.ts';
import { clusterBody } from '../harness/managed-postgresql.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { proxyTo, type TcpProxy } from '../harness/tcp-proxy.ts';
import { waitUntil } from '../harness/wait.ts';

/** A region of two machines, each a network namespace: when one is lost, its worker is stopped, or it does not reach the
 *  database, the other one has the addresses, and clients on the same segment reach them there. */

const fault = cableFault();
const PORT = 8088;
const LBS = '/cloud/v1/loadbalancers/1/1';
const STORAGES = '/storage/v4/sftp_storages';
const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
const MACHINES = ['machine-1', 'machine-2'] as const;

interface Need {
  readonly name: string;
  readonly reason: string;
}

describe.skipIf(fault !== undefined)(`a region of two machines${fault ? `: skipped, ${fault}` : ''}`, () => {
  let segment: Segment;
  let database: TestDatabase;
  let member: Server;
  let api: VirgaProcess;
  let env: Record<string, string>;
  const folders = new Map<string, string>();
  const workers = new Map<string, VirgaProcess>();
  /** How each machine reaches the database. */
  const relays = new Map<string, TcpProxy>();

  const folder = (name: string) => {
    const made = folders.get(name) ?? newDataDir();
    folders.set(name, made);
    return made;
  };
  const databaseFrom = (name: string) => {
    const { user = '', password, database: of } = database.connection;
    const secret = encodeURIComponent(String(password));
    return `postgresql://${user}:${secret}@198.18.77.1:${relays.get(name)?.port}/${of}`;
  };
  const startWorker = async (name: string, number: number) => {
    const accounts = `${80_000 + number * 1000}-${80_999 + number * 1000}`;
    const worker = await startVirga({
      dataDir: folder(name),
      args: ['--role', 'worker'],
      env: {
        ...env,
        DATABASE_URL: databaseFrom(name),
        VIRGA_NODE: name,
        VIRGA_ENGINE_ACCOUNTS: accounts,
      },
      enter: segment.enter(name),
    });
    workers.set(name, worker);
  };
  const kill = (name: string) => {
    for (const pid of processesIn(folder(name))) process.kill(pid, 'SIGKILL');
  };
  /** Whether a machine has the address, and the other one has not. */
  const isAt = (name: string, vip: string) =>
    MACHINES.every((each) => segment.addresses(each).includes(vip) === (each === name));

  beforeAll(async () => {
    segment = new Segment([...MACHINES, 'client']);
    member = createServer((_request, response) => response.end('member'));
    await new Promise<void>((resolve) => member.listen(0, '198.18.77.1', resolve));
    database = await createTestDatabase();
    for (const name of MACHINES) relays.set(name, await proxyTo(database.connection, '198.18.77.1'));
    const regions = path.join(folder('api'), 'regions.json');
    const addresses = [{ range: '198.18.77.32/28', interface: 'eth0' }];
    const region = { id: 1, name: 'Both', provider: 'local', nodes: MACHINES, addresses };
    writeFileSync(regions, JSON.stringify({ regions: [region] }));
    env = {
      DATABASE_URL: database.url,
      VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      VIRGA_REGIONS: regions,
      VIRGA_RATE_LIMIT: '0',
    };
    api = await startVirga({ dataDir: folder('api'), args: ['--role', 'api'], env });
  });

  afterAll(async () => {
    await Promise.all([...workers.values(), ...(api ? [api] : [])].map((node) => node.end('SIGTERM')));
    for (const [name, each] of folders) {
      kill(name);
      removeDataDir(each);
    }
    for (const relay of relays.values()) relay.close();
    member?.close();
    segment?.remove();
    await database?.drop();
  });

  test('a machine that is lost, a worker that is killed or stopped: the addresses move to the other machine, and are at one alone', async () => {
    await startWorker('machine-1', 1);
    await startWorker('machine-2', 2);
    await api.call('PUT', '/cloud/v1/dbaas/status/1/1', { is_initialized: true });
    const { port } = member.address() as AddressInfo;
    const body = webBalancer(PORT, [port], {}, '198.18.77.1');
    const made = await Promise.all(
      ['one', 'two', 'three', 'fleeting'].map(async (name) => {
        const task = await api.ended(await api.call('POST', LBS, { ...body, name }));
        expect([task.error, task.state]).toEqual([null, 'FINISHED']);
        return (await api.call('GET', `${LBS}/${task.created_resources?.loadbalancers?.[0]}`)).body;
      }),
    );
    const [fleeting] = made.splice(3);
    const vips = made.map(({ vip_address }) => vip_address);
    const first = MACHINES.find((name) => segment.addresses(name).includes(vips[0])) ?? '';
    const second = MACHINES.find((name) => name !== first) ?? '';
    const reached = async (name: string) => {
      for (const vip of vips)
        await waitUntil(() => isAt(name, vip), { what: `${vip} to be at ${name} alone` });
    };
    await reached(first);

    const clients = vips.map((vip) => new Clients(segment.enter('client'), `http://${vip}:${PORT}/`));
    const goesOn = async () => {
      for (const each of clients) {
        const before = each.answered;
        await waitUntil(() => each.answered > before + 50, { what: 'clients to be answered' });
      }
    };
    await goesOn();
    expect((await api.ended(await api.call('POST', CLUSTERS, clusterBody('dropped')))).error).toBeNull();
    const files = await api.call('POST', STORAGES, {
      name: 'files',
      location_name: 'both',
      password_mode: 'none',
    });
    const storage = `${STORAGES}/${files.body.id}`;
    const statusOf = async () => (await api.call('GET', storage)).body.provisioning_status;
    await waitUntil(async () => (await statusOf()) === 'active', { what: 'the storage to be made' });
    const homes = (engine: string) => readdirSync(path.join(folder(first), 'regions/1', engine));
    const clusters = () => homes('postgresql').filter((name) => /^[0-9a-f-]{36}$/.test(name));
    expect(clusters()).toHaveLength(1);

    // The power of a machine fails: nothing of it runs, nothing comes from it.
    kill(first);
    segment.link(first, 'down');
    for (const vip of [...vips, fleeting.vip_address]) segment.forget(first, vip);
    await reached(second);
    await goesOn();
    // Its files are on the machine that is gone, and whoever asks is told so.
    await waitUntil(async () => (await api.call('GET', `${CLUSTERS}/dropped`)).body.status === 'UNHEALTHY', {
      what: 'the cluster whose machine is gone to be said not to serve',
    });
    const { fault } = (await api.call('GET', `${CLUSTERS}/dropped/metrics`)).body;
    expect(fault).toContain('does not have the data of this cluster');
    const needs = async () =>
      (await api.call('GET', '/virga/v1/attention/1')).body.results as readonly Need[];
    const needOf = (name: string) =>
      waitUntil(async () => (await needs()).find((need) => need.name === name), {
        what: `${name} to be said`,
      });
    expect((await needOf('files')).reason).toContain('does not have the data of this storage');
    expect((await needOf('dropped')).reason).toBe(fault);
    // What would change them fails at once, and nothing holds them then.
    const changes = [
      await api.call('PATCH', storage, { expires: '2 years' }),
      await api.call('PATCH', `${CLUSTERS}/dropped`, { storage: { size_gib: 20, type: 'standard' } }),
    ];
    for (const change of changes) {
      const { tasks } = change.body;
      const error = tasks ? (await api.ended(change)).error : JSON.stringify(change.body);
      expect(error).toContain('does not have the data of this');
    }
    expect(await statusOf()).toBe('active');
    // What is deleted meanwhile leaves the machine that is away when that is back, and so do addresses of the region.
    for (const gone of [`${LBS}/${fleeting.id}`, `${CLUSTERS}/dropped`])
      expect((await api.ended(await api.call('DELETE', gone))).error).toBeNull();
    segment.link(first, 'up');
    segment.keep(first, '198.18.77.46');
    expect(homes('load-balancers')).toContain(fleeting.id);
    await waitUntil(() => segment.reaches(first, relays.get(first)?.port ?? 0), {
      what: 'the machine to reach the database',
    });
    await startWorker(first, 3);
    const isClear = () =>
      !homes('load-balancers').includes(fleeting.id) &&
      clusters().length === 0 &&
      !segment.addresses(first).includes('198.18.77.46');
    await waitUntil(isClear, { what: 'the first machine to be rid of what was deleted' });
    expect(homes('load-balancers')).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
    await reached(second);

    // A worker is killed, and its programs go on: it ends them when it comes back to a region that is elsewhere.
    await workers.get(second)?.end('SIGKILL');
    const isAtFirst = (vip: string) => segment.addresses(first).includes(vip);
    await waitUntil(() => vips.every(isAtFirst), { what: `the addresses to be at ${first}` });
    await startWorker(second, 4);
    await reached(first);
    await goesOn();
    // The machine with its files serves the region again.
    await waitUntil(async () => !(await needs()).some(({ name }) => name === 'files'), {
      what: 'the storage to serve again',
    });

    // A worker that is stopped leaves nothing running where another machine goes on.
    await workers.get(first)?.end('SIGTERM');
    await reached(second);
    await goesOn();

    // A machine that does not reach the database sees that the other one has its addresses.
    await startWorker(first, 5);
    relays.get(second)?.shut();
    await reached(first);
    await goesOn();
    relays.get(second)?.open();
    for (const each of clients) expect((await each.stop()).answered).toBeGreaterThan(200);
  });
});
