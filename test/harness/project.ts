import { expect } from 'vitest';
import type { Reply, TaskView, TestServer } from './server.ts';

/** An id that nothing has. */
export const NOWHERE = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

/** What tasks call what they create, where its path says something else. */
const KINDS: Readonly<Record<string, string>> = { reserved_fixed_ips: 'ports' };

/** What the second version of the API creates. */
const V2 = new Set(['instances', 'security_groups']);

/** Waits for the end of what was accepted, which ends well. @returns what it created */
export async function createdBy(
  server: TestServer,
  call: Promise<Reply>,
): Promise<TaskView['created_resources']> {
  const reply = await call;
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const task = await server.ended(reply);
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return task.created_resources;
}

/** Calls in a region of a project; region 2 is simulated and instant.
 *  @param server is there when the first test runs */
export function project(server: () => TestServer, place = '1/2') {
  const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
    server().call(method, path, body === undefined ? {} : { body });
  const read = async (path: string) => (await call('GET', path)).body;
  /** Waits for the end of what was accepted, which ends well. */
  const finished = async (reply: Reply, type?: string): Promise<TaskView> => {
    expect(reply).toMatchObject({ status: 200 });
    const task = await server().ended(reply);
    expect(task).toMatchObject({
      ...{ state: 'FINISHED', error: null },
      ...(type === undefined ? {} : { task_type: type }),
    });
    return task;
  };
  /** Creates something, such as one of `networks`. @returns its id */
  const make = async (noun: string, body: object): Promise<string> => {
    const { created_resources: created } = await finished(
      await call('POST', `/cloud/${V2.has(noun) ? 'v2' : 'v1'}/${noun}/${place}`, body),
    );
    const ids = created?.[KINDS[noun] ?? noun] ?? [];
    expect(ids, `what was created of ${noun}`).toHaveLength(1);
    return String(ids[0]);
  };
  return { call, read, finished, make };
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
