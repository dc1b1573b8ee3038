import type { EventEmitter } from 'node:events';
import type { TSchema } from '@sinclair/typebox';
import type { Invalid } from '../../kernel/errors.ts';
import type { Route } from './route.ts';
import type { Validator } from './validation.ts';

/** Compiles the checks of large schemas when the server has begun to listen, one at a time while nobody asks for
 *  anything: whoever comes first to one of them would wait for it, and everybody else too. */

/** Schemas with fewer nodes are compiled within some milliseconds, when they are needed. */
const LARGE = 20;
const PAUSE_MS = 20;
/** Since the last request: who comes right after a start sends several. */
const QUIET_MS = 100;

interface Check {
  readonly schema: TSchema;
  readonly location: Invalid['location'];
  readonly nodes: number;
}

/** The checks that are compiled ahead, the smallest first: the compiler itself is fast by the time of the largest. */
export function largeChecks(routes: readonly Route[]): readonly Check[] {
  return routes
    .flatMap(({ spec: { query, body } }) => [checkOf(query, 'query'), checkOf(body, 'body')].flat())
    .filter(({ nodes }) => nodes >= LARGE)
    .sort((a, b) => a.nodes - b.nodes);
}

const checkOf = (schema: TSchema | undefined, location: Invalid['location']): Check[] =>
  schema ? [{ schema, location, nodes: nodesOf(schema) }] : [];

function nodesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + nodesOf(each), 1);
}

/** Begins at once.
 *  @param server says when a request comes
 *  @returns what stops it */
export function compileAhead(
  validator: Validator,
  routes: readonly Route[],
  server: EventEmitter,
): () => void {
  const left = [...largeChecks(routes)].reverse();
  let timer: NodeJS.Timeout | undefined;
  const goOnIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(next, ms).unref();
  };
  const requested = () => goOnIn(QUIET_MS);
  const stop = () => {
    clearTimeout(timer);
    server.off('request', requested);
  };
  const next = () => {
    const check = left.pop();
    if (!check) return stop();
    validator.prepare(check.schema, check.location);
    goOnIn(PAUSE_MS);
  };
  server.on('request', requested);
  goOnIn(PAUSE_MS);
  return stop;
}
