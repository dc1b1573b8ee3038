import { TaskFailed } from '../../server/src/kernel/errors.ts';
import type { Operation, Progress } from '../../server/src/kernel/operation.ts';
import type { Db } from '../../server/src/platform/database/db.ts';
import type { Sql } from '../../server/src/platform/database/sql.ts';
import type { RegionProvider } from '../../server/src/regions/region-providers.ts';

/** Stands between task handlers and what they call: providers and the database. It keeps what the providers were
 *  asked to serve, makes their work take more than one step, and breaks the call that it is to break.
 *
 *  It knows ports by their form: `applyThing(desired, operation)` makes something, `removeThing(id or {id}, operation)`
 *  forgets it, `changeThing(operation)` does something else that takes time, and all answer with their progress. Any
 *  other method is a question. */

/** What providers serve, by `port.noun id`. */
export type Served = Map<string, object>;

/** Where a handler reaches out. */
export type FaultLocation = 'provider' | 'database';

export type Kind =
  /** The provider says no, for good. */
  | 'refused'
  /** The same, after it has done its work. */
  | 'refused when done'
  /** It says no to this call and the next ones. */
  | 'refused again and again'
  /** The call never arrives. */
  | 'lost'
  /** The work is done, and nobody hears of it: the worker died, or the connection was lost. */
  | 'unheard';

export interface Fault {
  readonly location: FaultLocation;
  readonly kind: Kind;
  /** The how-manieth call of this place breaks, from 1. */
  readonly at: number;
  /** What it is called, for people. */
  readonly name: string;
}

/** A call of a handler. */
export interface Reach {
  readonly name: string;
  /** Whether it does anything: a question that is not answered was as good as not asked. */
  readonly changes: boolean;
}

export const REASON = 'broken by the test';
const AGAIN_AND_AGAIN = 3;
/** How a database is asked. */
const STATEMENTS = new Set(['rows', 'row', 'number', 'any', 'run']);

export class Faults {
  readonly served: Served = new Map();
  readonly #calls: Record<FaultLocation, Reach[]> = { provider: [], database: [] };
  readonly #begun = new Set<string>();
  #fault: Fault | undefined;
  #listening = false;

  /** From now on calls are counted anew, and this one breaks. */
  arm(fault?: Fault): void {
    this.#fault = fault;
    this.#calls.provider = [];
    this.#calls.database = [];
    this.#begun.clear();
  }

  /** Only calls of task handlers count. */
  async during<T>(step: () => Promise<T>): Promise<T> {
    this.#listening = true;
    try {
      return await step();
    } finally {
      this.#listening = false;
    }
  }

  /** The calls since `arm`. */
  calls(location: FaultLocation): readonly Reach[] {
    return this.#calls[location];
  }

  async #reach<T>(
    location: FaultLocation,
    name: string,
    changes: boolean,
    call: () => Promise<T>,
  ): Promise<T> {
    if (!this.#listening) return call();
    const number = this.#calls[location].push({ name, changes });
    const fault = this.#fault;
    if (fault?.location !== location) return call();
    const { kind, at } = fault;
    const repeated = kind === 'refused again and again' ? AGAIN_AND_AGAIN : 1;
    if (number < at || number >= at + repeated) return call();
    if (kind === 'lost') throw new Error(`${name} was lost by the test`);
    if (kind === 'refused' || kind === 'refused again and again') throw new TaskFailed(REASON);
    await call();
    throw kind === 'unheard' ? new Error(`${name} was not heard of again`) : new TaskFailed(REASON);
  }

  /** A provider whose every port goes through here. */
  readonly around = (provider: RegionProvider): RegionProvider => {
    const ports = Object.entries(provider).map(([name, port]) => [name, this.#port(name, port)]);
    return Object.fromEntries(ports) as unknown as RegionProvider;
  };

  #port(name: string, port: unknown): unknown {
    if (typeof port === 'function') return (...args: unknown[]) => Reflect.apply(port, undefined, args);
    if (typeof port !== 'object' || port === null) return port;
    return new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function' || typeof key !== 'string') return value;
        return (...args: unknown[]) =>
          this.#called(name, key, args, () => Reflect.apply(value, target, args));
      },
    });
  }

  #called(port: string, method: string, args: readonly unknown[], call: () => unknown): unknown {
    const name = `${port}.${method}`;
    if (isWork(method))
      return this.#reach('provider', name, true, () => this.#work(port, method, args, call));
    const answer = call();
    if (!(answer instanceof Promise)) return answer;
    return this.#reach('provider', name, false, async () => checkVerb(name, await answer));
  }

  /** Work takes two steps: the first time it has only begun. */
  async #work(port: string, method: string, args: readonly unknown[], call: () => unknown): Promise<unknown> {
    const what = args[0] as string | { readonly id: string };
    const { key, type } = args.at(-1) as Operation;
    const id = typeof what === 'string' ? what : what.id;
    const begun = `${port}.${method} ${id} ${key} ${type}`;
    if (this.#listening && !this.#begun.has(begun)) {
      this.#begun.add(begun);
      return { ready: false, retryInMs: 0, percent: 50 } satisfies Progress;
    }
    const progress = (await call()) as Progress;
    if (progress.ready) this.#remember(port, method, what);
    return progress;
  }

  #remember(port: string, method: string, what: string | { readonly id: string }): void {
    const [, verb, noun] = WORK.exec(method) ?? [];
    const key = `${noun ? `${port}.${noun}` : port} ${typeof what === 'string' ? what : what.id}`;
    if (verb === 'remove') this.served.delete(key);
    if (verb === 'apply') this.served.set(key, what as object);
  }

  /** The database as a handler sees it: what it reads and writes on its way, before the outcome. */
  database(db: Db): Db {
    return new Proxy(db, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const call = () => Reflect.apply(value, target, args);
          if (key === 'transaction') return this.#reach('database', 'transaction', true, call);
          if (!STATEMENTS.has(String(key))) return call();
          const text = (args[0] as Sql).text.replace(/\s+/g, ' ').trim();
          return this.#reach('database', `statement ${text}`, !text.startsWith('select'), call);
        };
      },
    });
  }
}

const WORK = /^(apply|remove|change)([A-Z]\w*)?$/;
const isWork = (method: string) => WORK.test(method);

/** @throws for a method that works on something but whose name does not say so: it would not be watched */
function checkVerb(name: string, answer: unknown): unknown {
  if (typeof answer === 'object' && answer !== null && 'ready' in answer) {
    throw new Error(`${name} answers with its progress: its name should begin with apply, remove or change`);
  }
  return answer;
}
