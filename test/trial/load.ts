import { setTimeout as delay } from 'node:timers/promises';
import { Caller, type Requested } from './caller.ts';

/** What was acknowledged. */
export interface Acknowledged {
  readonly name: string;
  readonly task: string;
  readonly at: number;
  id?: string;
  /** It was renamed, too: see `renamed`. */
  isRenamed?: boolean;
  deleted?: boolean;
}

/** The name of a load balancer once it was changed. */
export const renamed = (name: string): string => `${name}-renamed`;

const ALL = '/cloud/v1/loadbalancers/1/2';
/** Where a change is a task. */
const CHANGES = '/cloud/v2/loadbalancers/1/2';
/** How many each sender leaves alive. */
const KEPT = 5;
const PAUSE_MS = 100;

/** Clients that create load balancers, follow their tasks, read, rename and delete them. A write is repeated with its
 *  Idempotency-Key until it is answered; each request that was not answered well counts as failed. */
export class TrialLoad {
  readonly #caller: Caller;
  /** When a creation was seen to be FINISHED. */
  readonly finished: number[] = [];
  readonly acknowledged: Acknowledged[] = [];
  /** When a write was acknowledged. */
  readonly writes: number[] = [];
  /** Of changes and deletions that were acknowledged. */
  readonly tasks: string[] = [];
  readonly surprises: string[] = [];
  #stopping = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.#caller = new Caller(url);
  }

  start(senders: number): void {
    this.#running = Promise.all(Array.from({ length: senders }, (_, i) => this.#send(i)));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  get requests(): readonly Requested[] {
    return this.#caller.requests;
  }

  /** Asks again until it is answered by the API itself. */
  call(method: string, path: string, body?: object): ReturnType<Caller['call']> {
    return this.#caller.call(method, path, body);
  }

  async #send(sender: number): Promise<void> {
    const alive: Acknowledged[] = [];
    for (let number = 0; !this.#stopping; number++) {
      const made = await this.#create(`trial-${sender}-${number}`);
      if (made) alive.push(made);
      const oldest = alive.length > KEPT ? alive.shift() : undefined;
      if (oldest) await this.#delete(oldest);
    }
  }

  async #create(name: string): Promise<Acknowledged | undefined> {
    const { status, body } = await this.call('POST', ALL, { name });
    if (status !== 200) {
      this.surprises.push(`POST ${name}: ${status} ${JSON.stringify(body)}`);
      await delay(PAUSE_MS);
      return undefined;
    }
    const made: Acknowledged = { name, task: body.tasks[0], at: performance.now() };
    this.acknowledged.push(made);
    this.writes.push(made.at);
    const task = await this.#ended(made.task);
    if (task?.state !== 'FINISHED') return undefined;
    made.id = task.created_resources.loadbalancers[0];
    this.finished.push(performance.now());
    await this.call('GET', `${ALL}/${made.id}`);
    made.isRenamed = await this.#change('PATCH', `${CHANGES}/${made.id}`, { name: renamed(name) });
    return made;
  }

  async #delete(made: Acknowledged): Promise<void> {
    made.deleted = await this.#change('DELETE', `${ALL}/${made.id}`);
  }

  /** @returns whether it was done */
  async #change(method: string, path: string, requested?: object): Promise<boolean> {
    const { status, body } = await this.call(method, path, requested);
    if (status !== 200) {
      this.surprises.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
      return false;
    }
    this.writes.push(performance.now());
    this.tasks.push(body.tasks[0]);
    return (await this.#ended(body.tasks[0]))?.state === 'FINISHED';
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async #ended(task: string): Promise<any> {
    const deadline = performance.now() + 120_000;
    while (performance.now() < deadline) {
      const { status, body } = await this.call('GET', `/cloud/v1/tasks/${task}?wait=5`);
      if (status !== 200) break;
      if (body.state === 'FINISHED' || body.state === 'ERROR') return body;
    }
    this.surprises.push(`task ${task} did not end`);
    return undefined;
  }
}
