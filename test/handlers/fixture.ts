import { pino } from 'pino';
import { viewTask } from '../../server/src/features/tasks/service.ts';
import { readTasks } from '../../server/src/features/tasks/store.ts';
import type { Ids } from '../../server/src/kernel/ids.ts';
import { randomIds } from '../../server/src/kernel/ids.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { TaskEngine } from '../../server/src/platform/tasks/engine.ts';
import type { TaskHandler } from '../../server/src/platform/tasks/handler.ts';
import { type Reply, startTestServer, type TaskView, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { type Fault, Faults } from './faults.ts';
import type { Call, Preparation, Scenario } from './scenarios/scenario.ts';
import { once } from './steps.ts';
import { FIRST_MADE_ID, type Snapshot, World } from './world.ts';

const MAX_STEPS = 400;

export interface Ending {
  readonly task: TaskView;
  readonly world: Snapshot;
  /** The number of its steps. */
  readonly steps: number;
}

type RunOf = (faults: Faults) => (handler: TaskHandler) => TaskHandler;

export interface Attempt {
  readonly fault?: Fault;
  /** How the steps are run; default: as they are meant to be. */
  readonly runOf?: RunOf;
  /** Steps after which the task's deadline has passed. */
  readonly lateAfter?: number;
}

/** A server without a worker, on which one scenario after the other is played, over and over, each time from
 *  exactly the same world. */
export class Fixture implements Preparation {
  readonly server: TestServer;
  readonly faults: Faults;
  readonly #world: World;
  readonly #ids: CountingIds;
  readonly #empty: Snapshot;
  readonly #pending: Promise<Reply>[] = [];
  /** The next id that a handler is given. */
  #made = FIRST_MADE_ID;

  private constructor(server: TestServer, faults: Faults, ids: CountingIds, world: World, empty: Snapshot) {
    this.server = server;
    this.faults = faults;
    this.#ids = ids;
    this.#world = world;
    this.#empty = empty;
  }

  static async open(): Promise<Fixture> {
    const faults = new Faults();
    const ids = new CountingIds();
    const server = await startTestServer({ worker: false, ids, aroundProvider: faults.around });
    const world = new World(server.db, faults.served);
    return new Fixture(server, faults, ids, world, await world.snapshot());
  }

  async close(): Promise<void> {
    await this.#world.close();
    await this.server.close();
  }

  /** The world before the scenario's task, and what was prepared. */
  async prepare({ prepare }: Scenario): Promise<{ before: Snapshot; prepared: readonly string[] }> {
    await this.#world.restore(this.#empty);
    this.#ids.next = 1;
    this.#made = FIRST_MADE_ID;
    this.faults.arm();
    const prepared = [(await prepare?.(this)) ?? []].flat();
    return { before: await this.#world.snapshot(), prepared };
  }

  snapshot(): Promise<Snapshot> {
    return this.#world.snapshot();
  }

  readonly call = ({ method, path, body, as }: Call): Promise<Reply> =>
    this.server.call(method, path, { body, ...(as ? { as } : {}) });

  readonly finished = async (call: Call, kind = ''): Promise<string> => {
    const { task } = await this.attempt(call);
    if (task.state !== 'FINISHED') throw new Error(`${task.task_type} failed: ${task.error}`);
    return String(task.created_resources?.[kind]?.[0] ?? '');
  };

  /** Ids that the call uses are the same each time. */
  async accepted(call: Call): Promise<string> {
    if (call.waits) return this.#acceptedBeforeItsAnswer(call);
    const reply = await this.call(call);
    const ids: unknown = reply.body.tasks;
    if (!Array.isArray(ids) || ids.length !== 1)
      throw new Error(
        `${call.method} ${call.path} started no task: ${reply.status} ${JSON.stringify(reply.body)}`,
      );
    return String(ids[0]);
  }

  async #acceptedBeforeItsAnswer(call: Call): Promise<string> {
    const ids = async () => {
      const rows = await this.server.db.rows<{ id: string }>(sql`select id from tasks`);
      return new Set(rows.map(({ id }) => id));
    };
    const before = await ids();
    this.#pending.push(this.call(call));
    const [id = ''] = await waitUntil(
      async () => {
        const added = [...(await ids())].filter((each) => !before.has(each));
        return added.length === 1 && added;
      },
      { what: `a task of ${call.method} ${call.path}`, intervalMs: 5 },
    );
    return id;
  }

  /** Makes the call and brings its task to its end. */
  async attempt(call: Call, { fault, runOf = once, lateAfter }: Attempt = {}): Promise<Ending> {
    const id = await this.accepted(call);
    this.faults.arm(fault);
    return this.goOn(id, runOf, lateAfter);
  }

  /** Brings a task to its end. */
  async goOn(id: string, runOf: RunOf = once, lateAfter?: number): Promise<Ending> {
    const engine = this.engine(runOf(this.faults));
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      if (steps === lateAfter) await this.age(id);
      await this.step(engine, id);
      const task = await this.task(id);
      if (task.state !== 'FINISHED' && task.state !== 'ERROR') continue;
      return { task, steps: steps + 1, world: await this.#world.snapshot() };
    }
    throw new Error(`the task did not end within ${MAX_STEPS} steps`);
  }

  /** One step of a task. Ids that it uses differ from those that its acceptance used. */
  async step(engine: TaskEngine, taskId: string): Promise<void> {
    const given = this.#ids.next;
    this.#ids.next = this.#made;
    await engine.runTask(taskId);
    this.#made = this.#ids.next;
    this.#ids.next = given;
  }

  engine(change: (handler: TaskHandler) => TaskHandler): TaskEngine {
    const { db, clock, app } = this.server;
    return new TaskEngine({ db, clock, log: pino({ level: 'silent' }), handlers: app.handlers.map(change) });
  }

  async task(id: string): Promise<TaskView> {
    const [row] = await readTasks(this.server.db, [id]);
    if (!row) throw new Error(`there is no task ${id}`);
    return viewTask(row) as TaskView;
  }

  /** Goes back to a world that was. What follows gets the same ids each time. */
  async from(before: Snapshot): Promise<void> {
    await this.#answered();
    await this.#world.restore(before);
    this.#ids.next = FIRST_MADE_ID / 2;
    this.#made = FIRST_MADE_ID;
  }

  /** Calls that wait for their task learn that it has ended, or is gone. */
  async #answered(): Promise<void> {
    for (const pending of this.#pending.splice(0)) await pending;
  }

  /** A task that failed is forgotten, so that the same call gets the same ids again. */
  async forget(taskId: string): Promise<void> {
    await this.#answered();
    await this.server.db.run(sql`delete from tasks where id = ${taskId}`);
    this.#ids.next = FIRST_MADE_ID / 2;
  }

  /** Runs a task, which then hangs. */
  async hang(taskId: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const never = () => {
        resolve();
        return new Promise<never>(() => undefined);
      };
      void this.engine((handler) => ({ ...handler, run: never, undo: never })).runTask(taskId);
    });
  }

  /** Makes a task older than any deadline, and silent as long. */
  async age(taskId: string): Promise<void> {
    await this.server.db.run(sql`update tasks set created_at = created_at - interval '1 year', updated_at = updated_at - interval '1 year'
        where id = ${taskId}`);
  }
}

/** Ids that count up, so that the same calls get the same ids. */
class CountingIds implements Ids {
  readonly secret = randomIds().secret;
  next = 1;

  uuid(): string {
    return `00000000-0000-4000-8000-${(this.next++).toString(16).padStart(12, '0')}`;
  }
}
