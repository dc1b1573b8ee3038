import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finished } from '../../harness/project.ts';
import { startTestServer, type TestServer } from '../../harness/server.ts';
import { operationsOf } from '../known-calls.ts';
import { ACCOUNTS } from './accounts.ts';
import { BALANCING } from './balancing.ts';
import { COMPUTE } from './compute.ts';
import { DATABASES } from './databases.ts';
import { type Json, type LifeCycle, live, olderOf } from './life-cycle.ts';
import { NETWORKS } from './networks.ts';
import { type CycleOf, made, makeScene, type Scene, scoped } from './scene.ts';

/** Every resource that the infrastructure tool keeps, in both its lines: the older one reads metadata as a list,
 *  uses the first of the tasks of every change, and knows the older names; the newer one accepts a null where a list is
 *  declared, or a value that changes between two reads, for a fault. */

let server: TestServer;
let scene: Scene;

beforeAll(async () => {
  server = await startTestServer();
  scene = await makeScene(server);
});

afterAll(() => server.close());

const CYCLES = Object.entries({ ...ACCOUNTS, ...NETWORKS, ...BALANCING, ...COMPUTE, ...DATABASES });

describe.each<[string, CycleOf]>(CYCLES)('%s', (_resource, cycleOf) => {
  let cycle: LifeCycle;

  beforeAll(async () => {
    cycle = await cycleOf(scene);
  });

  test('a plan of the newer line is empty after each change', () => live(server, cycle));

  test('a plan of the older line is empty after each change', () => live(server, olderOf(cycle)));

  test('each field that can be changed is changed alone', () => {
    const { changedBy, left = {}, updates = [] } = cycle;
    if (changedBy === undefined) return;
    const alone = updates.flatMap(({ body }) => Object.keys(body));
    expect([...new Set([...alone, ...Object.keys(left)])]).toEqual(
      expect.arrayContaining(fieldsOf(changedBy)),
    );
  });
});

test('a member is added, changed through its pool with its id, and removed', async () => {
  const members = `${scoped('lbpools')}/${scene.pool}/member`;
  const id = await made(server, members, { address: '10.0.0.7', protocol_port: 80 }, 'members');
  const one = `${scoped('lbpools')}/${scene.pool}`;
  const change = async (member: Json) => {
    const path = one.replace('/v1/', '/v2/');
    const task = await server.ended(await server.call('PATCH', path, { body: { members: [member] } }));
    expect(task.created_resources?.members).toEqual([id]);
    return (await server.call('GET', one)).body.members;
  };
  for (const member of [
    { address: '10.0.0.8', protocol_port: 80 },
    { address: '10.0.0.8', protocol_port: 81 },
  ]) {
    expect(await change({ id, ...member })).toMatchObject([{ id, ...member }]);
  }
  await finished(server, server.call('DELETE', `${members}/${id}`));
  expect((await server.call('GET', one)).body.members).toEqual([]);
});

test('lists are filtered by metadata, as older clients ask', async () => {
  const id = await made(server, scoped('networks'), { name: 'marked', metadata: { env: 'one' } }, 'networks');
  const lb = await made(
    server,
    scoped('loadbalancers'),
    { name: 'marked', metadata: { env: 'one' } },
    'loadbalancers',
  );
  const pairs = `metadata_kv=${encodeURIComponent('{"env":"one"}')}`;
  for (const [noun, its] of [
    ['networks', id],
    ['loadbalancers', lb],
  ] as const) {
    for (const query of ['metadata_k=env', pairs]) {
      const { body } = await server.call('GET', `${scoped(noun)}?${query}`);
      expect(body.results.map((each: { id: string }) => each.id)).toEqual([its]);
    }
  }
});

interface Shape {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
}

/** The fields of the body of an operation. */
function fieldsOf(operation: string): string[] {
  const { components } = server.app.document as unknown as { components: { schemas: Record<string, Shape> } };
  const found = operationsOf(server.app.document).get(operation.replace(/\{\w*\}/g, '{}'));
  const { requestBody } = found as unknown as {
    requestBody: { content: Record<string, { schema: Shape }> };
  };
  const own = ({ $ref, properties = {}, anyOf = [], oneOf = [] }: Shape): string[] =>
    $ref === undefined
      ? [...Object.keys(properties), ...[...anyOf, ...oneOf].flatMap(own)]
      : own(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  return own(Object.values(requestBody.content)[0]?.schema ?? {});
}
