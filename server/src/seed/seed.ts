import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import { OWN_COMMANDS } from '../kernel/own-commands.ts';
import type { Db } from '../platform/database/db.ts';
import { StartError } from '../platform/database/embedded/index.ts';
import type { Cipher } from '../platform/secrets/cipher.ts';
import { type Made, type SeedCall, withNames } from './seed-file.ts';
import * as store from './seed-store.ts';

interface SeedOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly cipher: Cipher;
  readonly api: FastifyInstance;
  readonly calls: readonly SeedCall[];
  /** No other node works on this database. */
  readonly alone: boolean;
}

/** Keys of these calls, so that each is done once whenever this process is killed. */
const KEY = 'seed-';
const PURPOSE = 'seed file';

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any call
  readonly body: any;
}

/** Applies the file on a first start. Says in the log when that is not possible, or not all there.
 *  @throws StartError as `applySeed` */
export async function beginWith(
  calls: readonly SeedCall[] | undefined,
  options: Omit<SeedOptions, 'calls'> & { readonly log: Logger; readonly waits: boolean },
): Promise<void> {
  const { db, log } = options;
  const seed = await store.readSeed(db);
  if (calls === undefined) {
    if (seed?.done === false) log.warn('not all of VIRGA_SEED_FILE is there; start with it once more');
    return;
  }
  if (!seed) log.warn('VIRGA_SEED_FILE is ignored: it is for a first start, and this cloud began without it');
  const work = applySeed({ ...options, calls });
  // Without workers of its own a node does not wait for what workers do.
  if (options.waits) await work;
  else work.catch((error) => log.error(error instanceof StartError ? error.message : { err: error }));
}

/** Makes the calls of the file one after another, each once, and waits for their tasks. A start that was interrupted
 *  goes on where it was; when all is done, later starts do nothing.
 *  @throws StartError naming the call that was refused or whose task failed */
async function applySeed(options: SeedOptions): Promise<void> {
  const { db, clock, calls } = options;
  const seed = await store.readSeed(db);
  if (!seed || seed.done) return;
  const caller = new SeedCaller(options);
  if (options.alone) await store.forgetSeedAttempts(db, KEY);
  await caller.begin();
  const earlier = new Map((await store.readSeedCalls(db)).map((row) => [row.position, row]));
  const made = new Map<string, Made>();
  for (const [index, call] of calls.entries()) {
    const result = await caller.make(index + 1, call, made, earlier.get(index + 1));
    if (call.as !== undefined) made.set(call.as, result);
  }
  await store.endSeed(db, caller.tokens, clock.timestamp());
}

class SeedCaller {
  readonly #options: SeedOptions;
  readonly #administrator: string;
  readonly #operator: string;

  constructor(options: SeedOptions) {
    this.#options = options;
    const token = (role: string) => `virga_${options.cipher.sign(role, PURPOSE).toString('base64url')}`;
    // The same after a crash and on every node, and written down nowhere.
    this.#administrator = token('Administrators');
    this.#operator = token('operator');
  }

  get tokens(): readonly string[] {
    return [this.#administrator, this.#operator];
  }

  async begin(): Promise<void> {
    const { db, clock } = this.#options;
    await store.keepSeedToken(db, this.#administrator, 'Administrators', clock.timestamp());
    await store.keepSeedToken(db, this.#operator, 'operator', clock.timestamp());
  }

  async make(
    position: number,
    call: SeedCall,
    made: ReadonlyMap<string, Made>,
    earlier: store.SeedCallRow | undefined,
  ): Promise<Made> {
    const { db, cipher } = this.#options;
    const text = JSON.stringify(call);
    const same = earlier !== undefined && cipher.verify(text, PURPOSE, earlier.digest);
    if (earlier?.done && !same) {
      throw this.#refusal(
        position,
        call,
        `has changed since it was done: put it back, or begin anew with ${OWN_COMMANDS.purge}`,
      );
    }
    if (earlier?.done) return earlier;
    const digest = cipher.sign(text, PURPOSE);
    const attempt = earlier?.attempt ?? 1;
    const begun =
      earlier && same
        ? { taskIds: earlier.task_ids, id: earlier.id }
        : await this.#send(
            position,
            call,
            made,
            `${KEY}${position}-${digest.toString('hex', 0, 8)}-${attempt}`,
          );
    const row = { position, digest, attempt, task_ids: begun.taskIds, id: begun.id, created: null };
    await store.saveSeedCall(db, { ...row, done: false });
    const outcome = await this.#outcome(begun.taskIds);
    if ('failed' in outcome) {
      await store.saveSeedCall(db, { ...row, digest: Buffer.alloc(0), attempt: attempt + 1, done: false });
      throw this.#refusal(position, call, `failed: ${outcome.failed}`);
    }
    const id = begun.id ?? mainId(call.path, outcome.created);
    const done = { ...row, id, created: outcome.created, done: true };
    await store.saveSeedCall(db, done);
    return done;
  }

  async #send(
    position: number,
    call: SeedCall,
    made: ReadonlyMap<string, Made>,
    key: string,
  ): Promise<{ taskIds: readonly string[]; id: Made['id'] }> {
    const refuse = (reference: string): never => {
      throw this.#refusal(position, call, `names ${reference}, which the call of that name has not made`);
    };
    const path = withNames(call.path, made, refuse);
    const body = withNames(call.body, made, refuse);
    for (;;) {
      const reply = await this.#call(call.method ?? 'POST', path, body, key);
      if (reply.status < 300) {
        return { taskIds: reply.body?.tasks ?? [], id: reply.body?.tasks ? null : (reply.body?.id ?? null) };
      }
      const retry = reply.status === 409 && reply.retryAfter !== undefined;
      if (!retry) {
        // Done, though its answer was lost with the process that got it.
        if (reply.status === 409 && /its answer is not kept/.test(reply.body?.message))
          return this.#found(path, body);
        throw this.#refusal(position, call, `was answered with ${reply.status}: ${wordsOf(reply.body)}`);
      }
      await delay(Number(reply.retryAfter) * 1000);
    }
  }

  /** What a call has made whose answer is lost, by its name. */
  async #found(
    path: string,
    body: SeedCall['body'],
  ): Promise<{ taskIds: readonly string[]; id: Made['id'] }> {
    const { body: list } = await this.#call('GET', path);
    const all: { id?: string | number; name?: unknown }[] =
      list?.results ?? (Array.isArray(list) ? list : []);
    const id = all.findLast(({ name }) => name !== undefined && name === body?.name)?.id ?? null;
    return { taskIds: [], id };
  }

  async #outcome(taskIds: readonly string[]): Promise<{ created: Made['created'] } | { failed: string }> {
    let created: Made['created'] = null;
    for (const id of taskIds) {
      for (;;) {
        const { body: task } = await this.#call('GET', `/cloud/v1/tasks/${id}?wait=30`);
        if (task.state === 'ERROR') return { failed: task.error };
        if (task.state !== 'FINISHED') continue;
        created ??= task.created_resources;
        break;
      }
    }
    return { created };
  }

  async #call(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Reply & { retryAfter?: string }> {
    const token = path.startsWith('/virga/') ? this.#operator : this.#administrator;
    const { statusCode, payload, headers } = await this.#options.api.inject({
      method: method as 'GET',
      url: path,
      headers: {
        authorization: `APIKey ${token}`,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const retryAfter = headers['retry-after'];
    return {
      status: statusCode,
      body: payload === '' ? undefined : JSON.parse(payload),
      ...(retryAfter !== undefined && { retryAfter: String(retryAfter) }),
    };
  }

  #refusal(position: number, { method = 'POST', path }: SeedCall, why: string): StartError {
    return new StartError(`VIRGA_SEED_FILE: call ${position} (${method} ${path}) ${why}`);
  }
}

/** Of all that a task made, what the call was for: that of the kind in its path, else the first. */
function mainId(path: string, created: Made['created']): Made['id'] {
  const kinds = Object.keys(created ?? {});
  const kind = kinds.find((each) => path.split(/[/?]/).includes(each)) ?? kinds[0];
  return (kind === undefined ? undefined : created?.[kind]?.[0]) ?? null;
}

function wordsOf(body: Reply['body']): string {
  return body?.message ?? body?.detail ?? body?.error ?? 'without a reason';
}
