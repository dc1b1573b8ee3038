import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Route } from '../../../server/src/platform/http/route.ts';
import type { Reply } from '../../harness/server.ts';
import { keptSecrets } from '../../security/secrets.ts';
import { allowedCaller, nameOf, type Spec } from '../operations.ts';
import { HOOKS } from './hooks.ts';
import { isKnown, pathOf } from './paths.ts';
import type { Hook, World } from './world.ts';

/** One example of the document, and what it is sent to. */
export interface Sendable {
  readonly name: string;
  readonly spec: Spec;
  readonly body: unknown;
}

/** The operations with a body that the document shows. */
export const withBody = (routes: readonly Route[]): readonly Spec[] =>
  routes.map(({ spec }) => spec).filter(({ body, tag }) => body !== undefined && tag !== 'Internal');

type Media = {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { summary: string; value: unknown }>>;
};
export type Paths = Readonly<
  Record<
    string,
    Readonly<Record<string, { requestBody?: { content: { 'application/json': Media } } } | undefined>>
  >
>;

/** What the document shows for an operation. */
export function examplesOf(paths: Paths, spec: Spec): readonly Sendable[] {
  const media = paths[spec.path]?.[spec.method.toLowerCase()]?.requestBody?.content['application/json'];
  if (media?.example !== undefined) return [{ name: nameOf(spec), spec, body: media.example }];
  return Object.values(media?.examples ?? {}).map(({ summary, value }) => ({
    name: `${nameOf(spec)}: ${summary}`,
    spec,
    body: value,
  }));
}

/** An example as it is sent: with things of a world in the places of its ids. */
export interface Prepared {
  readonly spec: Spec;
  readonly path: string;
  readonly body: unknown;
}

/** Sends an example to a world of its own, and expects that what it asks for is done. */
export async function sendExample(world: World, example: Sendable): Promise<Reply> {
  // What is not known is a fault of the example.
  return sendPrepared(world, await prepared(world, example), { 'x-virga-strict': '1' });
}

/** Makes what an example needs. */
export async function prepared(world: World, { spec, body }: Sendable): Promise<Prepared> {
  const hook: Hook = (await HOOKS[nameOf(spec)]?.(world, body)) ?? {};
  const path = await pathOf(spec, world, { ...(await madeAsShown(world, spec)), ...hook.path });
  const filled = await world.fill(body);
  return {
    spec,
    path: `${path}${hook.query ?? ''}`,
    body: hook.body ? { ...(filled as object), ...hook.body } : filled,
  };
}

/** Sends it, and expects that what it asks for is done, and that no secret is kept for its Idempotency-Key. */
export async function sendPrepared(
  world: World,
  { spec, path, body }: Prepared,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const key = randomUUID();
  const reply = await world.server.call(spec.method, path, {
    as: allowedCaller(spec),
    body,
    headers: { ...headers, 'idempotency-key': key },
  });
  expect(reply.status, `${spec.method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  expect(await keptSecrets(world.server, key, body), `${spec.method} ${path}: is sensitive`).toEqual([]);
  await finished(world, reply);
  return reply;
}

/** What is called by its name in paths is made as the example of its creation says. */
async function madeAsShown(world: World, { path }: Spec): Promise<Readonly<Record<string, string>>> {
  const [, collection = '', parameter = ''] = /^(.+)\/\{(\w+_name)\}$/.exec(path) ?? [];
  if (parameter === '' || isKnown(parameter)) return {};
  const { document, routes } = world.server.app;
  const creation = routes.find(({ spec }) => spec.method === 'POST' && spec.path === collection);
  if (!creation) throw new Error(`nobody says how to make: ${parameter}`);
  const [body] = examplesOf(document.paths as Paths, creation.spec).map((example) => example.body);
  await world.call('POST', await pathOf(creation.spec, world), body);
  return { [parameter]: (body as { name: string }).name };
}

async function finished({ server }: World, reply: Reply): Promise<void> {
  if (!Array.isArray(reply.body?.tasks)) return;
  for (const id of reply.body.tasks) {
    const task = await server.ended({ ...reply, body: { tasks: [id] } });
    expect(task).toMatchObject({ state: 'FINISHED', error: null });
  }
}
