import type { FastifyInstance } from 'fastify';

/** Operations that the tests of this file have called with success, as `GET /cloud/v1/tasks/{task_id}`. */
const seen = new Set<string>();

/** Test files share a process, and each proves its own. */
export const forgetOperations = (): void => seen.clear();

export const operationsSeen = (): ReadonlySet<string> => seen;

export function noteOperations(api: FastifyInstance): void {
  api.addHook('onSend', async ({ method, routeOptions }, { statusCode }, payload) => {
    if (statusCode < 400) seen.add(`${method} ${routeOptions.url?.replace(/:(\w+)/g, '{$1}')}`);
    return payload;
  });
}
