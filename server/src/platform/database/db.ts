import pg from 'pg';
import type { Logger } from '../../kernel/log.ts';
import { ConnectTimeout } from './connect-timeout.ts';
import { DiskRoom } from './disk-room.ts';
import { LivenessProbe, type Waiter } from './liveness-probe.ts';
import { LOOK_UPS } from './look-ups.ts';
import { Notifier } from './notifier.ts';
import { DatabaseSilent, Outage } from './outage.ts';
import type { Sql } from './sql.ts';

export interface HowToRun {
  /** Whether PostgreSQL keeps what it has parsed and planned, on each connection; default: true. Not for statements
   *  whose text depends on what is asked, of which there may be very many. */
  readonly prepared?: boolean;
}

/** Access to PostgreSQL. Statements are checked against the schema by `test/architecture/sql.test.ts`, as are the rows
 *  that they are declared to have. */
export interface Queryable {
  /** The rows that a statement answers. */
  rows<Row>(statement: Sql, how?: HowToRun): Promise<Row[]>;
  /** The first of them. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
  /** The number in the first column of the first row; no row, or null: 0. */
  number(statement: Sql): Promise<number>;
  /** Whether there is any row. */
  any(statement: Sql): Promise<boolean>;
  /** Runs a statement whose rows nobody wants. */
  run(statement: Sql): Promise<void>;
}

/** A running transaction; everything done with it is kept or forgotten together. Statements that do not need each
 *  other's results are best started at once, see `together`. */
export interface Tx extends Queryable {
  readonly inTransaction: true;
  /** Calls back once the transaction is committed; not when it is rolled back. */
  afterCommit(callback: () => void): void;
  /** Sends a statement together with the commit: what it locks is not locked while its answer travels. When it fails,
   *  nothing of the transaction is kept.
   *  @param settled gets its rows; undefined: it failed. Absent: nobody needs to know */
  atCommit<Row>(statement: Sql, settled?: (rows: Row[] | undefined) => void): void;
}

export interface DbOptions {
  readonly connection: pg.PoolConfig;
  readonly log: Logger;
  /** Knows whether the database is lost. */
  readonly outage?: Outage;
  readonly maxConnections?: number;
  /** Milliseconds after which an answer is no longer waited for, and its connection is given up. Default: 90 s. */
  readonly patienceMs?: number;
  /** Milliseconds for which a transaction may stand still. Default: 10 s. */
  readonly idleInTransactionMs?: number;
  /** Milliseconds between two looks whether the database answers whoever waits for it; see LivenessProbe. */
  readonly livenessMs?: number;
  /** Milliseconds for which a connection is waited for once one was lost; see ConnectTimeout. */
  readonly shortConnectMs?: number;
  /** See DiskRoom. */
  readonly freeBytes?: (() => number | undefined) | undefined;
}

/** An answer that does not come would hold up whoever waits for it for ever, with all that he holds. */
const PATIENCE_MS = 90_000;

// Counters and sums fit into a double exactly up to 2^53; PostgreSQL sends bigint as text otherwise.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Deadlocks and serialization failures: the transaction did nothing and may simply run again. */
const REPEATABLE = new Set(['40001', '40P01']);
const MAX_REPEATS = 4;
/** A process that freezes within a transaction would otherwise keep its locks for as long as it is frozen, and hold up
 *  everybody who wants the same rows. Nothing of ours waits within a transaction for anything but the database. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** What statements rely on, whatever the database or its role has set for other programs: how times and names are
 *  written, that a transaction sees what others have committed meanwhile, and that nobody but this process gives up. */
const SETTINGS = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  datestyle: 'ISO',
  timezone: 'UTC',
  quote_all_identifiers: 'off',
  default_transaction_isolation: 'read committed',
};

export class Db implements Queryable {
  readonly pool: pg.Pool;
  /** For what people wait for, which is given up while the database is silent. */
  readonly liveness: LivenessProbe;
  /** Sends notifications soon, outside any transaction, and knows which are this process's. */
  readonly notifier: Notifier;
  /** Whether its disk is full. */
  readonly room: DiskRoom;
  // Not #private: a request with an Idempotency-Key works on an object that inherits from this one.
  private readonly outage: Outage;
  private readonly connectTimeout: ConnectTimeout;
  private readonly log: Logger;
  private readonly waiter: Waiter | undefined;
  readonly patienceMs: number;

  constructor(options: DbOptions) {
    this.pool = new pg.Pool({
      max: options.maxConnections ?? 20,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: 10_000,
      ...options.connection,
      // Statements of a transaction that do not wait for each other share a round trip.
      pipeline: true,
    });
    this.outage = options.outage ?? new Outage();
    this.connectTimeout = new ConnectTimeout(this.pool, options.shortConnectMs);
    this.log = options.log;
    const idleMs = options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS;
    this.#watch({ ...SETTINGS, idle_in_transaction_session_timeout: `${idleMs}` });
    this.liveness = new LivenessProbe({
      connection: options.connection,
      everyMs: options.livenessMs,
      onSilence: (error) => this.lost(error),
      onAnswer: () => this.found(),
    });
    this.patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.notifier = new Notifier(this.pool, options.log);
    const { log, freeBytes } = options;
    this.room = new DiskRoom({ pool: this.pool, log, outage: this.outage, freeBytes });
  }

  /** Without a listener a lost idle connection would end the process; the pool replaces it by itself. */
  #watch(settings: Readonly<Record<string, string>>): void {
    const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
    const lost = (error: Error) => this.lost(error);
    this.pool.on('error', lost);
    this.pool.on('connect', (client) => {
      client.on('error', lost);
      // PgBouncer refuses them as parameters of the connection. The first statement does not wait for them.
      client
        .query(`select ${calls.join(', ')}`)
        .catch((error: Error) => this.log.debug(`a connection was lost at once: ${error.message}`));
      this.found();
    });
  }

  /** Of many errors that say that the database is lost one is said; of it only its message, since the object holds the
   *  whole connection. */
  lost(error: Error): void {
    this.connectTimeout.lost(error);
    if (this.pool.ending || this.outage.active) {
      this.log.debug(`lost a database connection: ${error.message}`);
      return;
    }
    // Said before the outage begins, which makes all else that is said of it quiet.
    this.log.error(`the database is lost, requests are answered 503: ${error.message}`);
    this.outage.begin();
  }

  private found(): void {
    this.liveness.heard();
    this.connectTimeout.end();
    const seconds = this.outage.end();
    if (seconds !== undefined) this.log.info({ seconds }, 'the database answers again');
  }

  /** Whether it is known not to answer. */
  get isLost(): boolean {
    return this.outage.active || this.liveness.isSilent;
  }

  /** The same database for one who waits: once he has given up, nothing more is begun or committed for him. What was
   *  sent as a single statement, or with its commit, cannot be taken back. */
  for(waiter: Waiter): Db {
    return Object.create(this, { waiter: { value: waiter } });
  }

  /** @throws DatabaseSilent when nobody waits any more */
  private async connect(): Promise<pg.PoolClient> {
    const client = await this.pool.connect();
    if (!this.waiter?.gaveUp) return client;
    client.release();
    throw new DatabaseSilent();
  }

  /** See Notifier. */
  readonly notify = (channel: string, payload: string): void => this.notifier.notify(channel, payload);

  async rows<Row>(sql: Sql, { prepared = true }: HowToRun = {}): Promise<Row[]> {
    const { text, values } = sql;
    const result = await repeated(() =>
      this.alone(statement(this.patienceMs, text, prepared ? nameOf(text) : undefined, values)),
    );
    if (this.outage.active) this.found();
    return result.rows as Row[];
  }

  readonly row = LOOK_UPS.row;
  readonly number = LOOK_UPS.number;
  readonly any = LOOK_UPS.any;
  readonly run = LOOK_UPS.run;

  private async alone(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      return await client.query(query);
    } catch (error) {
      // What is refused leaves the connection as it was, with all that it has prepared: a new one is dear.
      if (!isRefusal(error)) broken = error as Error;
      this.room.refused(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs `work` in one transaction; when two transactions block each other, the loser runs again. */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return repeated(() => this.once(work));
  }

  private async once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      sendTogether(client);
      const begun = client.query(statement(this.patienceMs, 'begin'));
      begun.catch(() => {});
      const callbacks: (() => void)[] = [];
      const last: (() => Promise<unknown>)[] = [];
      const result = await work(transactionOn(client, { callbacks, last, patienceMs: this.patienceMs }));
      await begun;
      if (this.waiter?.gaveUp) throw new DatabaseSilent();
      sendTogether(client);
      const sent = last.map((send) => send());
      await together([...sent, client.query(statement(this.patienceMs, 'commit'))]);
      for (const callback of callbacks) callback();
      return result;
    } catch (error) {
      await client.query(statement(this.patienceMs, 'rollback')).catch((cause: Error) => {
        broken = cause;
      });
      this.room.refused(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.liveness.close();
    this.room.close();
    this.connectTimeout.end();
    await this.pool.end();
  }
}

/** What the library knows of a statement, and its types do not. */
interface Statement extends pg.QueryConfig {
  readonly query_timeout: number;
}

function statement(
  patienceMs: number,
  text: string,
  name?: string,
  values: readonly unknown[] = [],
): pg.QueryConfig {
  const config: Statement = { text, values: [...values], query_timeout: patienceMs };
  return name === undefined ? config : { ...config, name };
}

/** Each connection keeps what has a name: more than the sources have forms of statements are those of a list of filters
 *  that should have said `prepared: false`. */
const MOST_NAMES = 2_000;
const names = new Map<string, string>();

/** Under which name PostgreSQL keeps a statement: each text has its own. Undefined: it is not kept. */
function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MOST_NAMES) {
    name = `s${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

/** Does what blocked others, and lost, again. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MAX_REPEATS || !REPEATABLE.has(sqlStateOf(error))) throw error;
    }
  }
}

type Results<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> };

/** Waits for statements of one transaction that were started together. They run in their order and share a round
 *  trip; of several faults the first in order counts, since what follows it fails with it.
 *  @throws that first fault, when all have ended */
export async function together<T extends readonly unknown[]>(started: readonly [...T]): Promise<Results<T>> {
  const ended = await Promise.allSettled(started);
  const failed = ended.find((one): one is PromiseRejectedResult => one.status === 'rejected');
  if (failed) throw failed.reason;
  return ended.map((one) => (one.status === 'fulfilled' ? one.value : undefined)) as Results<T>;
}

/** PostgreSQL's five-letter code of an error, or ''. */
export function sqlStateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Errors of PostgreSQL's that are about more than the statement: the connection, the server, or a fault within it. */
const OF_CONNECTION = /^(08|57P|58|F0|XX)/;

/** Whether PostgreSQL refused a statement and answers the next one. */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !OF_CONNECTION.test(error.code ?? 'XX');

/** Name of the constraint that an error violates, or undefined. */
export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** What is written to PostgreSQL in this turn of the event loop goes out as one packet at its end. */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = client.connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

interface Ending {
  /** What is called after the commit, and what is sent with it. */
  readonly callbacks: (() => void)[];
  readonly last: (() => Promise<unknown>)[];
  readonly patienceMs: number;
}

function transactionOn(client: pg.PoolClient, { callbacks, last, patienceMs }: Ending): Tx {
  return {
    inTransaction: true,
    afterCommit: (callback) => callbacks.push(callback),
    atCommit({ text, values }, settled) {
      last.push(async () => {
        const sent = client.query(statement(patienceMs, text, nameOf(text), values));
        sent.then(
          ({ rows }) => settled?.(rows),
          () => settled?.(undefined),
        );
        return sent;
      });
    },
    async rows<Row>(sql: Sql, { prepared = true }: HowToRun = {}): Promise<Row[]> {
      sendTogether(client);
      const { text, values } = sql;
      const result = await client.query(
        statement(patienceMs, text, prepared ? nameOf(text) : undefined, values),
      );
      return result.rows as Row[];
    },
    ...LOOK_UPS,
  };
}
