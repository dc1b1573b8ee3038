import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, EndedTask, VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** What an actor works with: a client of a server that may be killed at any moment. Whoever got an answer knows
 *  what has to be true in the end; whoever got none does not know. */

/** What a read has to show: these fields (`members.length` for those further in), or that there is nothing. */
export type Truth = Readonly<Record<string, unknown>> | 'gone';

export class Notes {
  readonly tasks = new Set<string>();
  /** What has to be true in the end, by path. */
  readonly truths = new Map<string, Truth>();
  /** Answers that nothing explains. */
  readonly surprises: string[] = [];
}

export class ChaosClient {
  readonly random: () => number;
  readonly #server: () => Promise<VirgaProcess>;
  readonly #notes: Notes;
  readonly #key: string | undefined;
  #writes = 0;

  /** @param key begins the Idempotency-Keys of this client's writes: with them it asks until it is answered */
  constructor(server: () => Promise<VirgaProcess>, notes: Notes, random: () => number, key?: string) {
    this.#server = server;
    this.#notes = notes;
    this.random = random;
    this.#key = key;
  }

  /** Undefined when nobody knows whether it was done. */
  async write(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    const key = this.#key && `${this.#key}-${this.#writes++}`;
    const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
    for (;;) {
      try {
        const answer = await (await this.#server()).call(method, path, body, headers);
        const said = answer.body?.message ?? answer.body?.error ?? '';
        if (key && answer.status === 409 && /still running|given up/.test(said)) {
          await delay(200);
          continue;
        }
        for (const id of answer.body?.tasks ?? []) this.#notes.tasks.add(id);
        if (answer.status < 300) return answer;
        // With PostgreSQL gone an answer may be a 500, after which nobody knows.
        if (answer.status < 500) this.#surprise(`${method} ${path}`, answer);
        if (answer.status < 500 || !key) return undefined;
      } catch {
        if (!key) return undefined;
      }
      await delay(100);
    }
  }

  #surprise(call: string, { status, body }: Answer): void {
    if (/but its answer is not kept/.test(body?.message ?? body?.error ?? '')) return;
    this.#notes.surprises.push(`${call}: ${status} ${JSON.stringify(body)}`);
  }

  /** The task of an answer, when it has ended. */
  async ended(answer: Answer | undefined): Promise<EndedTask | undefined> {
    const id = answer?.body.tasks?.[0];
    if (!id) return undefined;
    return waitUntil(
      async () => {
        const { body } = await (await this.#server()).call('GET', `/cloud/v1/tasks/${id}`);
        return body.state === 'FINISHED' || body.state === 'ERROR' ? body : undefined;
      },
      { what: `task ${id} to end`, intervalMs: 100 },
    );
  }

  /** Reads until there is an answer. */
  async read(path: string): Promise<Answer> {
    return waitUntil(
      async () => {
        const answer = await (await this.#server()).call('GET', path);
        return answer.status < 500 ? answer : undefined;
      },
      { what: `${path} to be answered`, intervalMs: 100 },
    );
  }

  /** Creates something and notes that it is there.
   *  @returns its id, if it was created and this is known */
  async create(path: string, body: unknown, kind: string, where: (id: string) => string, truth: Truth = {}) {
    const task = await this.ended(await this.write('POST', path, body));
    const id = task?.state === 'FINISHED' ? task.created_resources?.[kind]?.[0] : undefined;
    if (id !== undefined) this.#notes.truths.set(where(String(id)), truth);
    return id;
  }

  /** Changes what is at `path`; afterwards it is so when the task finished, and as before when it failed. */
  async change(write: readonly [method: string, path: string, body?: unknown], path: string, truth: Truth) {
    const before = this.#notes.truths.get(path);
    this.#notes.truths.delete(path);
    const task = await this.ended(await this.write(...write));
    if (task?.state === 'FINISHED') this.#notes.truths.set(path, truth);
    if (task?.state === 'ERROR' && before) this.#notes.truths.set(path, before);
    return task?.state === 'FINISHED';
  }

  /** Waits until no task works on a storage, which says so itself. */
  async rests(path: string): Promise<void> {
    await waitUntil(async () => !/ing$/.test((await this.read(path)).body.provisioning_status ?? ''), {
      what: `${path} to be at rest`,
      intervalMs: 100,
    });
  }

  /** In the end it has to be so. */
  know(path: string, truth: Truth): void {
    this.#notes.truths.set(path, truth);
  }

  /** From now on nothing is known about it. */
  doubt(path: string): void {
    this.#notes.truths.delete(path);
  }

  /** Removes it, now and then. */
  maybeRemove(path: string): Promise<boolean> | false {
    return this.random() < 0.5 && this.change(['DELETE', path], path, 'gone');
  }
}
