import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Invalid } from '../../kernel/errors.ts';
import type { Change, ChangeWatcher } from '../../platform/changes/changes.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { RawReply } from '../../platform/http/route.ts';
import type { SlotLimits, Slots } from '../../platform/http/slots.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import {
  type ChangedTask,
  type Cursor,
  changedTasks,
  currentEpoch,
  type Horizon,
  isOurs,
  MOST_CHANGES,
} from './changes.ts';
import { keepEpoch } from './epochs.ts';
import type { TaskStreamQuery } from './schema.ts';
import { viewTask } from './service.ts';

/** Progress is looked for this often; the end of a task is sent at once. */
const LOOK_EVERY_MS = 250;
/** And this often while a change is on its way. */
const SOON_MS = 20;
/** A comment in between keeps proxies from closing a quiet stream. */
const QUIET_MS = 15_000;
/** A client that has not read what it was sent for this long is gone. */
const UNREAD_MS = 30_000;
/** Changes without a task that are sent one by one. */
const MOST_NOTED = 200;

/** Streams that a token, and all of them together, may have open on one node. */
export const STREAMS: SlotLimits = { perCaller: 20, inAll: 1000 };

/** What the streams of a node share. */
export interface Streams {
  readonly watcher: TaskWatcher;
  readonly changes: ChangeWatcher;
  readonly slots: Slots;
  readonly horizon: Horizon;
}

/** Server-sent events: every change of the client's tasks, and if asked for what changes without one, from now on or from `Last-Event-ID`, until the reader goes,
 *  the server stops or the reader's credential ends. An id that means nothing here any more is answered with an event
 *  that says so, and a fresh start.
 *  @throws Invalid for a Last-Event-ID that no stream has given, TooManyRequests for one stream too many */
export async function streamTasks(
  ctx: RequestContext,
  query: TaskStreamQuery,
  lastEventId: string | undefined,
  { watcher, changes, slots, horizon }: Streams,
): Promise<RawReply> {
  const last = lastEventId === undefined ? undefined : parseCursor(lastEventId);
  const release = slots.acquire(ctx.caller);
  const stream = new PassThrough();
  stream.once('close', release);
  try {
    const { start, resumes } = await beginning(ctx, last, horizon);
    stream.write('retry: 1000\n\n');
    if (last !== undefined && !resumes) stream.write(resetAt(start));
    const others = new OtherChanges(query);
    if (query.changes) stream.once('close', changes.onChange(ctx.caller.clientId, others.note));
    void pump(ctx, query, start, new Source(watcher, stream, horizon, ctx.revocation()), others);
  } catch (error) {
    stream.destroy();
    throw error;
  }
  return new RawReply('text/event-stream; charset=utf-8', stream, {
    'cache-control': 'no-store',
    // Kept open for another request, the connection would hold up a server that stops.
    connection: 'close',
    'x-accel-buffering': 'no',
  });
}

/** After which change a stream begins, and whether that is where its last one ended. */
async function beginning(ctx: RequestContext, last: Cursor | undefined, horizon: Horizon) {
  await keepEpoch(ctx.db);
  const epoch = await currentEpoch(ctx.db);
  const resumes = last !== undefined && (await isOurs(ctx.db, last));
  const start: Cursor = { epoch, change: resumes ? last.change : await horizon.settle() };
  return { start, resumes };
}

/** Those of former versions, which counted in another way, mean nothing. */
const FORMER_ID = /^\d{1,19}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parseCursor(text: string): Cursor {
  const match = /^([0-9a-f]{8})-(\d{1,15})$/.exec(text);
  if (match?.[1] && match[2]) return { epoch: match[1], change: Number(match[2]) };
  if (FORMER_ID.test(text)) return { epoch: '', change: 0 };
  throw new Invalid({ 'Last-Event-ID': ['must be an id that this stream has given'] }, 'headers');
}

const idOf = ({ epoch, change }: Cursor) => `id: ${epoch}-${change}`;

function resetAt(start: Cursor): string {
  const message = 'The database was restored or replaced since this id was given; list the tasks again';
  return `${idOf(start)}\nevent: reset\ndata: ${JSON.stringify({ message })}\n\n`;
}

function eventOf(row: ChangedTask, epoch: string): string {
  return `${idOf({ epoch, change: row.change })}\nevent: task\ndata: ${JSON.stringify(viewTask(row))}\n\n`;
}

async function pump(
  ctx: RequestContext,
  query: TaskStreamQuery,
  start: Cursor,
  source: Source,
  others: OtherChanges,
): Promise<void> {
  const { stream, horizon } = source;
  let at = start;
  let quietSince = ctx.clock.now().getTime();
  try {
    while (source.isOpen) {
      const upTo = await horizon.look();
      if (horizon.hasLeft(at)) {
        const { start: next, resumes } = await beginning(ctx, at, horizon);
        if (!resumes) stream.write(resetAt(next));
        at = next;
        continue;
      }
      const { change: after, epoch } = at;
      const among = { after, upTo };
      const changed = upTo > after ? await changedTasks(ctx.db, ctx.caller.clientId, among, query) : [];
      if (!source.isOpen) break;
      const noted = others.take();
      for (const row of changed) stream.write(eventOf(row, epoch));
      if (noted !== '') stream.write(noted);
      await source.isRead();
      const isMore = changed.length === MOST_CHANGES;
      at = { epoch, change: isMore ? (changed.at(-1)?.change ?? after) : Math.max(after, upTo) };
      const now = ctx.clock.now().getTime();
      const isSilent = changed.length === 0 && noted === '';
      const isQuiet = isSilent && now - quietSince > QUIET_MS;
      if (isQuiet) stream.write(': quiet\n\n');
      if (isQuiet || !isSilent) quietSince = now;
      if (!isMore) await source.next();
    }
  } catch (error) {
    // The client resumes from its last id.
    ctx.log.warn({ err: error }, 'a stream of tasks broke off');
  } finally {
    source.close();
  }
}

/** What changed without a task and was not sent yet. Their events have no id: a stream that breaks off does not resume
 *  with them, and who opens it again asks anew for what it shows. */
class OtherChanges {
  readonly #query: TaskStreamQuery;
  /** Each once, by what its event says. */
  readonly #noted = new Set<string>();

  constructor(query: TaskStreamQuery) {
    this.#query = query;
  }

  readonly note = ({ projectId: project_id, regionId: region_id, action, noun, id }: Change): void => {
    const { project_id: projects, region_id: regions } = this.#query;
    if (project_id !== null && projects && !projects.includes(project_id)) return;
    if (region_id !== null && regions && !regions.includes(region_id)) return;
    // Somebody who reads slowly asks for everything once.
    const isTooMuch = this.#noted.size >= MOST_NOTED;
    if (isTooMuch) this.#noted.clear();
    const change = isTooMuch
      ? { action: 'unknown', project_id: null, region_id: null, noun: null, id: null }
      : { action, project_id, region_id, noun, id };
    this.#noted.add(`event: change\ndata: ${JSON.stringify(change)}\n\n`);
  };

  /** The events, which are sent now. */
  take(): string {
    const text = [...this.#noted].join('');
    this.#noted.clear();
    return text;
  }
}

/** Where events come from and go to. */
class Source {
  readonly stream: PassThrough;
  readonly horizon: Horizon;
  readonly #watcher: TaskWatcher;
  readonly #revoked: AbortSignal;
  readonly #unsubscribe: () => void;
  #abort = new AbortController();

  /** @param revoked when the reader may listen no longer */
  constructor(watcher: TaskWatcher, stream: PassThrough, horizon: Horizon, revoked: AbortSignal) {
    this.stream = stream;
    this.horizon = horizon;
    this.#watcher = watcher;
    this.#revoked = revoked;
    const wake = () => this.#abort.abort();
    this.#unsubscribe = watcher.onEnd(wake);
    stream.once('close', wake);
    revoked.addEventListener('abort', wake);
  }

  get isOpen(): boolean {
    return !this.stream.destroyed && !this.#watcher.closed && !this.#revoked.aborted;
  }

  /** Waits until the client has read what was written: the next changes stay in the database until then. One that
   *  reads nothing is given up, and resumes from its last id. */
  async isRead(): Promise<void> {
    if (!this.stream.writableNeedDrain) return;
    const signal = AbortSignal.any([AbortSignal.timeout(UNREAD_MS), this.#revoked]);
    await once(this.stream, 'drain', { signal }).catch(() => this.stream.destroy());
  }

  /** The next moment to look: a task has ended, some time has passed, or nobody listens or may listen any more. */
  async next(): Promise<void> {
    const { signal } = this.#abort;
    // Many tasks may end at one moment.
    await delay(SOON_MS);
    if (!this.horizon.isBehind) await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    this.#abort = new AbortController();
  }

  close(): void {
    this.#unsubscribe();
    this.stream.end();
  }
}
