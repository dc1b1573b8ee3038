import { expect } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import type { Reply, TaskView, TestServer } from './server.ts';

/** An id that nothing has. */
export const NOWHERE = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

/** What tasks call what they create, where its path says something else. */
const KINDS: Readonly<Record<string, string>> = {
  reserved_fixed_ips: 'ports',
  lblisteners: 'listeners',
  lbpools: 'pools',
  l7policies: 'l7polices',
};

/** What the second version of the API creates. */
const V2 = new Set(['instances', 'security_groups', 'secrets']);

type Server = Pick<TestServer, 'call' | 'ended'>;
type Answer = Reply | Promise<Reply>;

/** Waits for the end of what was accepted, which ends well. @returns the task, of this type if one is named */
export async function finished(server: Server, answer: Answer, type?: string): Promise<TaskView> {
  const reply = await answer;
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const task = await server.ended(reply);
  expect(task).toMatchObject({
    state: 'FINISHED',
    error: null,
    ...(type === undefined ? {} : { task_type: type }),
  });
  return task;
}

/** Waits for the end of what was accepted, which ends well. @returns ids of what it created, by kind */
export async function createdBy(
  server: Server,
  answer: Answer,
): Promise<Readonly<Record<string, readonly string[]>>> {
  return ((await finished(server, answer)).created_resources ?? {}) as Record<string, string[]>;
}

/** Waits for the end of what was accepted, which ends well. @returns the id of the only one of a kind that it created */
export async function createdOne(
  server: Server,
  kind: string,
  answer: Answer,
  type?: string,
): Promise<string> {
  const ids = (await finished(server, answer, type)).created_resources?.[kind];
  expect(ids, `what was created of ${kind}`).toHaveLength(1);
  return String(ids?.[0]);
}

/** Calls in a region of a project; region 2 is simulated and instant.
 *  @param server is there when the first test runs */
export function project(server: () => Server, scope = '1/2') {
  const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
    server().call(method, path, body === undefined ? {} : { body });
  const read = async (path: string) => (await call('GET', path)).body;
  return {
    call,
    read,
    /** How many of a kind count, and how much of it: `volume_count`, `volume_size`. */
    usage: async (count: string, size: string): Promise<[count: number, size: number]> => {
      const quotas = await read(`/cloud/v2/regional_quotas/${scope}`);
      return [quotas[`${count}_usage`], quotas[`${size}_usage`]];
    },
    finished: (answer: Answer, type?: string) => finished(server(), answer, type),
    /** Creates something, such as one of `networks`. @returns its id */
    make: (noun: string, body: object): Promise<string> => {
      const path = `/cloud/${V2.has(noun) ? 'v2' : 'v1'}/${noun}/${scope}`;
      return createdOne(server(), KINDS[noun] ?? noun, call('POST', path, body));
    },
  };
}

/** Creates a network with one subnet.
 *  @param make of `project`
 *  @returns their ids */
export async function makeNetwork(
  make: ReturnType<typeof project>['make'],
  cidr: string,
): Promise<readonly [network: string, subnet: string]> {
  const network = await make('networks', { name: 'net' });
  return [network, await make('subnets', { name: 'sub', network_id: network, cidr })];
}

/** Names of the faulty fields of a refused body. */
export async function faultsOf(reply: Reply | Promise<Reply>): Promise<string[]> {
  const { status, body } = await reply;
  if (status !== 400) throw new Error(`the answer is ${status}: ${JSON.stringify(body)}`);
  return Object.keys(body.invalid_fields ?? {}).sort();
}

/** How much of what counts in all regions the first client uses: `project_count`. */
export async function globalUsage(server: TestServer, name: string): Promise<number> {
  return server.db.number(
    sql`select usage from quota_counters where client_id = 1 and region_id = 0 and name = ${name}`,
  );
}
