import pg from 'pg';
import { pino } from 'pino';
import { Db } from '../../server/src/platform/database/db.ts';
import { readTables, usedTables } from '../harness/used-tables.ts';
import type { Served } from './faults.ts';

/** Everything that there is: the rows of every table, and what the providers serve. A snapshot can be compared
 *  with another one and put back. */
export interface Snapshot {
  readonly tables: ReadonlyMap<string, Rows>;
  readonly served: Served;
  /** Last values of all sequences. */
  readonly sequences: readonly { readonly name: string; readonly last: string | null }[];
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a table, as PostgreSQL writes them in JSON. Most are the same in thousands of snapshots. */
export class Rows {
  readonly text: string;
  #all: readonly Row[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get all(): readonly Row[] {
    this.#all ??= JSON.parse(this.text) as Row[];
    return this.#all;
  }
}

/** What shows how something came about, not what is: it may differ between two ways to the same end. */
const HISTORY = new Set([
  'tasks',
  'audit_log',
  'idempotency_keys',
  'request_counts',
  // The address of what was never finished was there for a while.
  'usage_periods',
]);
/** Columns of that kind: when something was used, and numbers that only ever count up. */
const PASSING = new Set([
  'updated_at',
  'api_tokens.last_used_at',
  'load_balancers.version',
  'loadBalancers.version',
  'object_storages.version',
  'sftp_storages.version',
  'k8s_clusters.node_serial',
  'k8s_clusters.upgrade_attempts',
  'k8s_nodes.number',
]);
/** Tables whose row says the same as no row when this column is 0. */
const TALLIES: Readonly<Record<string, string>> = { quota_counters: 'usage' };

const RESTORES_BETWEEN_VACUUMS = 200;
/** Of one table. */
const ROWS_KEPT = 500;

function ownConnection({ pool }: Db, settings: { readonly options?: string } = {}): Db {
  const { max: _, ...options } = pool.options;
  // A pool does not show its password when its options are copied.
  const connection = { ...options, password: pool.options.password, ...settings };
  return new Db({ connection, log: pino({ level: 'silent' }), maxConnections: 1 });
}

export class World {
  readonly #db: Db;
  /** A connection apart from all others: nothing that it writes calls triggers. */
  readonly #writer: Db;
  readonly #served: Served;
  #columns: ReadonlyMap<string, readonly string[]> = new Map();
  #sequences: readonly string[] = [];
  readonly #replacedTables = new Set<string>();
  /** By table and text: what was found out about rows is known of the same ones. */
  readonly #known = new Map<string, Map<string, Rows>>();
  #used: readonly string[] = [];
  #restores = 0;
  /** How often the server got a connection to the database. */
  #connections = 0;
  #latest: (Snapshot & { readonly connections: number }) | undefined;

  constructor(server: Db, served: Served) {
    this.#db = ownConnection(server);
    this.#writer = ownConnection(server, { options: '-c session_replication_role=replica' });
    this.#served = served;
    server.pool.on('acquire', () => {
      this.#connections += 1;
    });
  }

  async close(): Promise<void> {
    await this.#db.close();
    await this.#writer.close();
  }

  async snapshot(): Promise<Snapshot> {
    const connections = this.#connections;
    const snapshot = await this.#read();
    // Anything that was done meanwhile needed a connection.
    this.#latest = this.#connections === connections ? { ...snapshot, connections } : undefined;
    return snapshot;
  }

  async #read(): Promise<Snapshot> {
    const columns = await this.#tables();
    this.#used = await usedTables(this.#db, this.#used);
    const used = this.#used;
    const rows = await readTables<{ name: string; rows: string }>(
      this.#db,
      [...used, ...this.#sequences],
      (table) =>
        `select '${table}' as name, coalesce(json_agg(t)::text, '[]') as rows from (table ${table}) t`,
    );
    const sequences = rows.splice(rows.length - this.#sequences.length);
    const unused = [...columns.keys()].filter((table) => !used.includes(table));
    return {
      tables: new Map([
        ...rows.map(({ name, rows: text }) => [name, this.#rows(name, text)] as const),
        ...unused.map((name) => [name, this.#rows(name, '[]')] as const),
      ]),
      served: new Map(this.#served),
      sequences: sequences.map(({ name, rows: text }) => {
        const [state] = JSON.parse(text);
        return { name, last: state?.is_called === true ? String(state.last_value) : null };
      }),
    };
  }

  #rows(table: string, text: string): Rows {
    const known = this.#known.get(table) ?? new Map<string, Rows>();
    this.#known.set(table, known);
    const rows = known.get(text) ?? new Rows(text);
    if (known.size >= ROWS_KEPT) known.clear();
    known.set(text, rows);
    return rows;
  }

  /** Makes everything as it was. Triggers and references are not asked: what they did is in the snapshot. */
  async restore(to: Snapshot): Promise<void> {
    const now = this.#latest?.connections === this.#connections ? this.#latest : await this.#read();
    const changed = [...to.tables].filter(
      ([table, { text }]) => this.#columns.has(table) && now.tables.get(table)?.text !== text,
    );
    const moved = to.sequences.filter(({ last }, index) => now.sequences[index]?.last !== last);
    // One message, and so one transaction, instead of dozens: this is done thousands of times.
    await this.#writer.pool.query(
      [
        ...changed.flatMap(([table, rows]) => this.#replaced(table, rows)),
        ...moved.map(({ name, last }) => `select setval('${name}', ${last ?? 1}, ${last !== null})`),
      ].join(';\n'),
    );
    await this.#clean(changed.map(([table]) => table));
    this.#served.clear();
    for (const [key, value] of to.served) this.#served.set(key, value);
  }

  /** What replaced rows leave behind is removed now and then: the PostgreSQL of tests has no autovacuum. */
  async #clean(tables: readonly string[]): Promise<void> {
    for (const table of tables) this.#replacedTables.add(table);
    this.#restores += 1;
    if (this.#restores % RESTORES_BETWEEN_VACUUMS > 0) return;
    await this.#writer.pool.query(`vacuum ${[...this.#replacedTables].join(', ')}`);
    this.#replacedTables.clear();
  }

  #replaced(table: string, { text }: Rows): string[] {
    const columns = this.#columns.get(table)?.join(', ');
    const all = `delete from ${table}`;
    if (text === '[]') return [all];
    return [
      all,
      `insert into ${table} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${table}, ${pg.escapeLiteral(text)})`,
    ];
  }

  /** Columns that can be written, by table. */
  async #tables(): Promise<ReadonlyMap<string, readonly string[]>> {
    if (this.#columns.size > 0) return this.#columns;
    const { rows } = await this.#db.pool.query<{ name: string; columns: string[] }>(
      `select c.table_name as name, array_agg(format('%I', c.column_name) order by ordinal_position) as columns
         from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
          -- Rows of partitions are rows of their table.
          and not exists (select from pg_class p where p.relname = c.table_name and p.relispartition)
          and c.table_name not like 'kysely%'
        group by 1`,
    );
    this.#columns = new Map(rows.map(({ name, columns }) => [name, columns]));
    const sequences = await this.#db.pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = 'public'`,
    );
    this.#sequences = sequences.rows.map(({ name }) => name);
    return this.#columns;
  }
}

/** What one snapshot says that matters and the other does not, or undefined when they say the same. Times, bytes and
 *  ids that were made on the way are placeholders.
 *  @param blur more that depends on the way */
export function difference(
  expected: Snapshot,
  actual: Snapshot,
  blur: readonly RegExp[] = [],
): string | undefined {
  const left = count(linesWhereOther(expected, actual, blur));
  const extra = linesWhereOther(actual, expected, blur).filter((text) => {
    const times = left.get(text) ?? 0;
    left.set(text, times - 1);
    return times <= 0;
  });
  const missing = [...left].filter(([, times]) => times > 0).map(([text]) => text);
  if (missing.length + extra.length === 0) return undefined;
  return [
    ...missing.sort().map((text) => `  missing: ${text}`),
    ...extra.sort().map((text) => `  too much: ${text}`),
  ].join('\n');
}

function count(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of lines) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** One line for each row of tables that are not the same to the letter in another snapshot, and for each thing served. */
const linesWhereOther = (
  { tables, served }: Snapshot,
  other: Snapshot,
  blur: readonly RegExp[],
): string[] => [
  ...[...tables].flatMap(([table, rows]) =>
    HISTORY.has(table) || rows === other.tables.get(table) ? [] : linesOf(table, rows, blur),
  ),
  ...[...served].map(([key, value]) => plain(line(key, value), blur)),
];

const LINES = new WeakMap<Rows, Map<string, readonly string[]>>();

function linesOf(table: string, rows: Rows, blur: readonly RegExp[]): readonly string[] {
  const known = LINES.get(rows) ?? new Map<string, readonly string[]>();
  LINES.set(rows, known);
  const key = String(blur);
  const tally = TALLIES[table];
  const lines =
    known.get(key) ??
    rows.all
      .filter((row) => tally === undefined || row[tally] !== 0)
      .map((row) => plain(line(table, row), blur));
  known.set(key, lines);
  return lines;
}

function line(location: string, value: object): string {
  const noun = location.split(' ')[0];
  const entries = Object.entries(value).filter(
    ([column]) => !PASSING.has(column) && !PASSING.has(`${noun}.${column}`),
  );
  return `${location} ${JSON.stringify(sorted(Object.fromEntries(entries)))}`;
}

/** The same with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (value instanceof Map) return sorted(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Ids up to this number were given when the task was accepted: they are the same each time. */
export const FIRST_MADE_ID = 100_000;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function plain(text: string, blur: readonly RegExp[]): string {
  const known = text
    .replaceAll(/"\\\\x[0-9a-f]*"/g, '"<bytes>"')
    .replaceAll(/-----BEGIN[^"]*-----/g, '<pem>')
    .replaceAll(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?/g, '<time>')
    .replaceAll(UUID, (id) => (isGivenId(id) ? `<id ${Number.parseInt(id.slice(24), 16)}>` : '<made id>'));
  return blur.reduce((result, pattern) => result.replaceAll(pattern, '<...>'), known);
}

const isGivenId = (id: string) =>
  id.startsWith('00000000-0000-4000-8000-') && Number.parseInt(id.slice(24), 16) < FIRST_MADE_ID;

/** Locks and unfinished states that a task left behind when it ended. */
export function leftovers({ tables }: Snapshot, taskId: string): string[] {
  const found: string[] = [];
  for (const [table, rows] of tables) {
    if (HISTORY.has(table)) continue;
    for (const row of rows.all) {
      if (row.deleting === true) found.push(`${table} ${row.id} is still being deleted`);
      if (row.task_id === taskId) found.push(`${table} ${row.id} is still locked by the task`);
      for (const [column, value] of Object.entries(row)) {
        if (typeof value === 'string' && value.startsWith('PENDING_'))
          found.push(`${table} ${row.id}: ${column} is ${value}`);
      }
    }
  }
  return found;
}
