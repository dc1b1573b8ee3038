import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Invalid } from '../../kernel/errors.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { RawReply } from '../../platform/http/route.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import type { TaskStreamQuery } from './schema.ts';
import { viewTask } from './service.ts';
import { type ChangedTask, changedTasks, currentPosition, type Position } from './store.ts';

/** Progress is looked for this often; the end of a task is told at once. */
const LOOK_EVERY_MS = 250;
/** A comment in between keeps proxies from closing a quiet stream. */
const QUIET_MS = 15_000;

/** Server-sent events: every change of the client's tasks, from now on or from `Last-Event-ID`.
 *  @throws Invalid for a Last-Event-ID that no stream has given */
export async function streamTasks(
  ctx: RequestContext,
  query: TaskStreamQuery,
  lastEventId: string | undefined,
  watcher: TaskWatcher,
): Promise<RawReply> {
  const start = lastEventId === undefined ? await currentPosition(ctx.db) : parsePosition(lastEventId);
  const stream = new PassThrough();
  void pump(ctx, query, start, watcher, stream);
  return new RawReply('text/event-stream; charset=utf-8', stream, {
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
}

function parsePosition(text: string): Position {
  const match = /^(\d{1,19})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text);
  if (!match?.[1] || !match[2]) {
    throw new Invalid({ 'Last-Event-ID': ['must be an id that this stream has given'] }, 'headers');
  }
  return { xid: match[1], id: match[2] };
}

async function pump(
  ctx: RequestContext,
  query: TaskStreamQuery,
  start: Position,
  watcher: TaskWatcher,
  stream: PassThrough,
): Promise<void> {
  const wakeUp = new WakeUp(watcher, stream);
  let position = start;
  let quietSince = ctx.clock.now().getTime();
  stream.write('retry: 1000\n\n');
  try {
    while (!stream.destroyed && !watcher.closed) {
      const changed = await changedTasks(ctx.db, ctx.caller.clientId, position, query);
      for (const row of changed) stream.write(eventOf(row));
      const last = changed.at(-1);
      const now = ctx.clock.now().getTime();
      if (last) {
        position = { xid: last.changed_xid, id: last.id };
        quietSince = now;
      } else if (now - quietSince > QUIET_MS) {
        stream.write(': quiet\n\n');
        quietSince = now;
      }
      await wakeUp.next();
    }
  } catch (error) {
    // The client resumes from its last id.
    ctx.log.warn({ err: error }, 'a stream of tasks broke off');
  } finally {
    wakeUp.stop();
    stream.end();
  }
}

function eventOf(row: ChangedTask): string {
  return `id: ${row.changed_xid}-${row.id}\nevent: task\ndata: ${JSON.stringify(viewTask(row))}\n\n`;
}

/** The next moment to look: a task has ended, some time has passed, or nobody listens any more. */
class WakeUp {
  #abort = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(watcher: TaskWatcher, stream: PassThrough) {
    this.#unsubscribe = watcher.onEnd(() => this.#abort.abort());
    stream.once('close', () => this.#abort.abort());
  }

  async next(): Promise<void> {
    await delay(LOOK_EVERY_MS, undefined, { signal: this.#abort.signal }).catch(() => undefined);
    this.#abort = new AbortController();
  }

  stop(): void {
    this.#unsubscribe();
  }
}
