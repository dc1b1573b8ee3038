import type { Clock } from '../../kernel/clock.ts';
import { Conflict, DomainError } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { type ClientContext, inRegion, type RequestContext } from '../../platform/http/context.ts';
import { type Route, urlOf } from '../../platform/http/route.ts';
import { Validator } from '../../platform/http/validation.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { done, type TaskHandler, type TaskRun, wait } from '../../platform/tasks/handler.ts';
import { startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { readRegion } from '../regions/index.ts';
import { type Item, type Kind, type Left, readLeft, STAGES } from './contents.ts';
import { failureInWords, isPausing, readFailures } from './failures.ts';
import { purgeClient, purgeSome } from './purge.ts';
import { refuseOwn } from './service.ts';
import { countUnpurged, hasActiveTasks, holdClient, lockClient } from './store.ts';

/** Deletes a client with everything in it. */

export interface DeletionDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cipher: Cipher;
  /** All of the API: what a client has is deleted by the calls by which its people would. */
  routes(): readonly Route[];
}

const DAY_MS = 86_400_000;
const LOOK_MS = 500;

interface Input {
  /** How many things there were at the beginning. */
  readonly total: number;
}

/** The task is the operator's: nothing of the client is left when it has ended.
 *  @throws NotFound, Locked while it is deleted, Conflict for one that is not suspended, or whose token the cloud is
 *  run with */
export function deleteClient(ctx: ClientContext): Promise<TaskRef> {
  return ctx.db.transaction(async (tx) => {
    const row = await lockClient(tx, ctx.clientId);
    requireFree('Client', row);
    await refuseOwn(tx, row.id, 'deleted');
    if (row.suspended_at === null)
      throw new Conflict(
        `Client ${row.id} is not suspended; suspend it first, so that nothing is made meanwhile`,
      );
    const taskId = ctx.ids.uuid();
    await holdClient(tx, row.id, taskId);
    const left = await readLeft(tx, row.id, STAGES.flat());
    return startTask(tx, ctx, {
      id: taskId,
      type: 'delete_client',
      subject: row.id,
      name: row.name,
      clientId: ctx.caller.clientId,
      projectId: null,
      regionId: null,
      input: { total: sum(left) } satisfies Input,
    });
  });
}

const sum = (left: readonly Left[]) => left.reduce((all, { count }) => all + count, 0);

export function deleteClientTask(deps: DeletionDeps): TaskHandler {
  const deleter = new Deleter(deps);
  return {
    type: 'delete_client',
    deadlineMs: DAY_MS,
    withoutFaults: true,
    async run(run) {
      const clientId = Number(run.task.subject);
      const failures = await readFailures(run.db, clientId, run.task.createdAt);
      const pausing = failures.filter((each) => isPausing(each, deps.clock.now()));
      const ids = pausing.map(({ subject }) => subject);
      const left = await readLeft(run.db, clientId, STAGES.flat(), ids);
      if (left.length > 0) {
        const refusal = await deleter.next(run, clientId, left);
        const why = refusal ?? failures.map(failureInWords)[0];
        return wait(LOOK_MS, percentOf(run, sum(left)), [inWords(left), ...(why ? [why] : [])].join('; '));
      }
      if (await hasActiveTasks(run.db, clientId)) return wait(LOOK_MS, 90, 'waiting for its tasks');
      const files = await countUnpurged(run.db, clientId);
      if (files > 0) return wait(LOOK_MS, 95, `removing the files of ${files} deleted storages`);
      if (await purgeSome(run.db, clientId)) return wait(0, 97, 'removing its log and its tasks');
      return done({}, (tx) => purgeClient(tx, clientId));
    },
    async undo({ task }) {
      return done({}, (tx) => holdClient(tx, Number(task.subject), null));
    },
  };
}

const percentOf = ({ task }: TaskRun, left: number) => {
  const { total } = task.input as Input;
  return total === 0 ? 0 : Math.max(0, 90 * (1 - left / total));
};

const inWords = (left: readonly Left[]) =>
  `${left.map(({ kind, count }) => `${count} ${kind.table.replaceAll('_', ' ')}`).join(', ')} left`;

class Deleter {
  readonly #deps: DeletionDeps;
  readonly #validator = new Validator();
  #routes: ReadonlyMap<string, Route> | undefined;

  constructor(deps: DeletionDeps) {
    this.#deps = deps;
  }

  /** Deletes what can be deleted of the first stage that there is anything of.
   *  @returns what was refused, with the reason; undefined: nothing */
  async next(run: TaskRun, clientId: number, left: readonly Left[]): Promise<string | undefined> {
    const stage = STAGES.find((kinds) => left.some(({ kind }) => kinds.includes(kind))) ?? [];
    let refusal: string | undefined;
    for (const { kind, free } of left.filter((each) => stage.includes(each.kind))) {
      for (const item of free) {
        try {
          await this.#delete(run, clientId, kind, item);
        } catch (error) {
          // It is asked again: what is in the way goes, too.
          if (!(error instanceof DomainError)) throw error;
          refusal ??= `${kind.table.replaceAll('_', ' ')} ${item.key}: ${error.message}`;
        }
      }
    }
    return refusal;
  }

  async #delete(run: TaskRun, clientId: number, kind: Kind, item: Item): Promise<void> {
    const { spec } = this.#routeOf(kind);
    const ctx = this.#contextOf(run, clientId);
    const name = /\{(\w+)\}$/.exec(kind.path)?.[1] ?? '';
    const key = kind.ofClient ? Number(item.key) : item.key;
    const params = { project_id: item.project_id, region_id: item.region_id, [name]: key };
    const query = spec.query && this.#validator.check(spec.query, {}, 'query');
    const input = { params, query, body: undefined, headers: {} };
    await spec.handler((await inPlaceOf(ctx, clientId, item)) as never, input as never);
  }

  #routeOf({ path }: Kind): Route {
    this.#routes ??= new Map(
      this.#deps
        .routes()
        .filter(({ spec }) => spec.method === 'DELETE')
        .map((route) => [urlOf(route.spec.path), route]),
    );
    const route = this.#routes.get(urlOf(path));
    if (!route) throw new Error(`there is no DELETE ${path}`);
    return route;
  }

  /** As the client itself, asked for by the operator. */
  #contextOf({ db, log, task }: TaskRun, clientId: number): RequestContext {
    const { clock, ids, cipher } = this.#deps;
    return {
      db,
      clock,
      ids,
      cipher,
      log,
      requestId: task.requestId ?? task.id,
      caller: { tokenId: 0, clientId, userId: task.userId, role: 'Administrators' },
      remoteAddress: '',
      secure: false,
      publicUrl: undefined,
      userAgent: null,
      revocation: () => new AbortController().signal,
    };
  }
}

async function inPlaceOf(ctx: RequestContext, clientId: number, { project_id, region_id }: Item) {
  if (project_id === null) return ctx;
  const region = await readRegion(ctx.db, region_id ?? 0);
  if (!region) throw new Conflict(`Region ${region_id} was not found`);
  const { id, display_name: name, state } = region;
  return Object.assign(ctx, inRegion({ id: project_id, clientId }, { id, name, state }));
}
