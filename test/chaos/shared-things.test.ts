import { expect, test } from 'vitest';
import { addSshKey } from '../harness/kubernetes.ts';
import type { Reply, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { databaseFaults, remains } from './database-faults.ts';
import { numbers } from './random.ts';
import { type Call, KINDS, type KindName, nextCall, World } from './shared-things.ts';

const seed = Number(process.env.VIRGA_TEST_CHAOS_SEED ?? 1);
const CALLERS = 8;
const CALLS = Number(process.env.VIRGA_TEST_CHAOS_CALLS ?? 40);
/** Of the client, of everything: what is tried here is not what quotas refuse. */
const PLENTY = 1_000_000;

const server = shared(() => startTestServer());

/** Subnets are as small as five addresses: tasks may find them full. */
const FULL = /has no free address$/;

let ended = 0;
/** What went wrong beyond what a caller has to expect. */
const faults = new Set<string>();
const there = new Map((Object.keys(KINDS) as KindName[]).map((name) => [name, new Set<string>()]));

async function settled(what: string, reply: Reply) {
  if (reply.status >= 500) faults.add(`${what} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  if (reply.status !== 200 || !reply.body.tasks?.length) return undefined;
  const task = await server.ended(reply);
  ended += 1;
  const failed = task.state !== 'FINISHED' && !FULL.test(String(task.error));
  if (failed) faults.add(`${what} ended as ${task.state}: ${task.error}`);
  return task;
}

async function carryOut({ method, path, body, makes, deletes }: Call): Promise<void> {
  const reply = await server.call(method, path, body ? { body } : {});
  const task = await settled(`${method} ${path}`, reply);
  if (makes && task?.state === 'FINISHED') {
    const made = task.created_resources?.[KINDS[makes].created] ?? [];
    for (const id of made) there.get(makes)?.add(String(id));
  }
  if (deletes && (reply.status < 300 || reply.status === 404)) there.get(deletes[0])?.delete(deletes[1]);
}

/** Deletes what is there, kind after kind. */
async function deleteAll(): Promise<void> {
  const routers = await server.call('GET', `${KINDS.routers.path}?limit=1000`);
  await Promise.all(routers.body.results.map(detachAll));
  for (const { path, key } of Object.values(KINDS)) {
    const { body } = await server.call('GET', `${path}?limit=1000`);
    const own = (body.results as Record<string, unknown>[]).filter(
      ({ external, name }) => external !== true && name !== 'default',
    );
    await Promise.all(
      own.map(async (row) => {
        const reply = await server.call('DELETE', `${path}/${row[key]}`);
        const task = await settled(`DELETE ${path}`, reply);
        const isGone = reply.status === 204 || task?.state === 'FINISHED';
        if (!isGone) faults.add(`${path}/${row[key]} stays: ${JSON.stringify(reply.body)}`);
      }),
    );
  }
}

interface Router {
  readonly id: string;
  readonly interfaces: readonly { ip_assignments: readonly { subnet_id: string }[] }[];
}

const detachAll = async ({ id, interfaces }: Router) => {
  for (const { subnet_id } of interfaces.flatMap(({ ip_assignments }) => ip_assignments)) {
    await server.call('POST', `${KINDS.routers.path}/${id}/detach`, { body: { subnet_id } });
  }
};

async function raiseQuotas({ call }: Pick<TestServer, 'call'>): Promise<void> {
  const { regional_quotas } = (await call('GET', '/cloud/v2/client_quotas')).body;
  const names = Object.keys(regional_quotas[0]).filter((name) => name.endsWith('_limit'));
  const limits = Object.fromEntries(names.map((name) => [name, PLENTY]));
  const body = { regional_limits: [{ region_id: 2, ...limits }] };
  await call('PATCH', '/virga/v1/clients/1/quotas', { as: 'operator', body });
}

test(`callers who share everything break nothing, and leave nothing when all is deleted (seed ${seed})`, async () => {
  await addSshKey(server);
  await raiseQuotas(server);
  const imageId = (await server.call('GET', '/cloud/v1/images/1/2')).body.results[0].id;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      const world = new World(there, numbers(seed * 10_007 + caller), imageId);
      for (let count = 0; count < CALLS; count++) await carryOut(nextCall(world));
    }),
  );
  // The others name what somebody has deleted meanwhile, or what is in use.
  expect(ended).toBeGreaterThan((CALLERS * CALLS) / 3);
  const query = async (text: string) => (await server.db.pool.query(text)).rows;
  expect([...faults, ...(await databaseFaults(query))]).toEqual([]);
  await deleteAll();
  expect([...faults, ...(await databaseFaults(query)), ...(await remains(query))]).toEqual([]);
});
