import { expect } from 'vitest';
import type { Route } from '../../../server/src/platform/http/route.ts';
import type { Reply } from '../../harness/server.ts';
import { allowedCaller, nameOf, type Spec } from '../operations.ts';
import { HOOKS } from './hooks.ts';
import { placeOf } from './places.ts';
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

/** Sends an example to a world of its own, and expects that what it asks for is done. */
export async function sendExample(world: World, { spec, body }: Sendable): Promise<Reply> {
  const hook: Hook = (await HOOKS[nameOf(spec)]?.(world, body)) ?? {};
  const path = await placeOf(spec, world, hook.path);
  const filled = await world.fill(body);
  const reply = await world.server.call(spec.method, `${path}${hook.query ?? ''}`, {
    as: allowedCaller(spec),
    body: hook.body ? { ...(filled as object), ...hook.body } : filled,
    // What is not known is a fault of the example.
    headers: { 'x-virga-strict': '1' },
  });
  expect(reply.status, `${spec.method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  await finished(world, reply);
  return reply;
}

async function finished({ server }: World, reply: Reply): Promise<void> {
  if (!Array.isArray(reply.body?.tasks)) return;
  for (const id of reply.body.tasks) {
    const task = await server.ended({ ...reply, body: { tasks: [id] } });
    expect(task).toMatchObject({ state: 'FINISHED', error: null });
  }
}
