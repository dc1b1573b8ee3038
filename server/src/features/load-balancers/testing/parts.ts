import type { Reply, TestServer } from '../../../../../test/harness/server.ts';

/** Calls that the tests of parts share; region 2 of the test server is simulated and instant. */

export const LISTENERS = '/cloud/v1/lblisteners/1/2';
export const POOLS = '/cloud/v1/lbpools/1/2';
export const POOLS_V2 = '/cloud/v2/lbpools/1/2';
export const membersOf = (pool: string) => `/cloud/v1/loadbalancers/1/2/pools/${pool}/members`;

export const NOTHING = '00000000-0000-4000-8000-000000000000';

/** Waits for the task of a reply, which must succeed, and returns what it names as created. */
export async function made(
  server: TestServer,
  reply: Reply | Promise<Reply>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const answer = await reply;
  if (answer.status !== 200)
    throw new Error(`the answer is ${answer.status}: ${JSON.stringify(answer.body)}`);
  const task = await server.ended(answer);
  if (task.state !== 'FINISHED') throw new Error(`${task.task_type}: ${task.error}`);
  return (task.created_resources ?? {}) as Record<string, string[]>;
}

/** The only id of a kind that a task created. */
export async function madeOne(
  server: TestServer,
  kind: string,
  reply: Reply | Promise<Reply>,
): Promise<string> {
  const ids = (await made(server, reply))[kind] ?? [];
  const [id] = ids;
  if (id === undefined || ids.length > 1) throw new Error(`${ids.length} ${kind} were created`);
  return id;
}

/** Names of the faulty fields of a refused body. */
export async function faultsOf(reply: Reply | Promise<Reply>): Promise<string[]> {
  const { status, body } = await reply;
  if (status !== 400) throw new Error(`the answer is ${status}: ${JSON.stringify(body)}`);
  return Object.keys(body.invalid_fields ?? {}).sort();
}
