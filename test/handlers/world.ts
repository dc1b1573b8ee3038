import pg from 'pg';
import { pino } from 'pino';
import { Db } from '../../server/src/platform/database/db.ts';
import { readTables, usedTables } from '../harness/used-tables.ts';
import type { Served } from './faults.ts';

/** Everything that there is: the rows of every table, and what the providers serve. A snapshot can be compared
 *  with another one and put back. */
export interface Snapshot {
  /** Rows by table, as JSON. */
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  readonly served: Served;
  /** Last values of all sequences. */
  readonly sequences: readonly { readonly name: string; readonly last: string | null }[];
}

type Row = Readonly<Record<string, unknown>>;

/** What shows how something came about, not what is: it may differ between two ways to the same end. */
const HISTORY = new Set([
  ...['tasks', 'task_counts', 'task_count_changes', 'audit_log'],
  // Their sums are what is: see VIEWS.
  ...['resource_totals', 'resource_changes', 'subnet_changes'],
  ...['idempotency_keys', 'request_counts'],
]);
/** Columns of that kind: when something was used, and numbers that only ever count up. */
const PASSING = new Set([
  'updated_at',
  // With what is to be added to it, it is in VIEWS.
  ...['subnets.address_count', 'subnets.port_count'],
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
const TALLIES: Readonly<Record<string, string>> = { quota_counters: 'usage', resource_counts: 'count' };

/** What is looked at and cannot be put back: it follows from the tables. */
const VIEWS: Readonly<Record<string, string>> = {
  resource_counts: 'resource_counts',
  subnet_counts: `(
    select s.id, s.address_count + coalesce(sum(c.addresses), 0) as addresses,
           s.port_count + coalesce(sum(c.ports), 0) as ports
      from subnets s left join subnet_changes c on c.subnet_id = s.id group by s.id)`,
};

const RESTORES_BETWEEN_VACUUMS = 200;

const NONE: readonly Row[] = [];

function ownConnection({ pool }: Db): Db {
  const { max: _, ...options } = pool.options;
  // A pool does not show its password when its options are copied.
  const connection = { ...options, password: pool.options.password };
  return new Db({ connection, log: pino({ level: 'silent' }), maxConnections: 1 });
}

export class World {
  readonly #db: Db;
  /** A connection apart from all others: to put rows back without triggers makes PostgreSQL forget the plans of its
   *  connection, and the same statements come again and again. */
  readonly #writer: Db;
  readonly #served: Served;
  #columns: ReadonlyMap<string, readonly string[]> = new Map();
  #sequences: readonly string[] = [];
  readonly #replacedTables = new Set<string>();
  #restores = 0;
  /** How often the server got a connection to the database. */
  #connections = 0;
  #latest: { readonly tables: Snapshot['tables']; readonly connections: number } | undefined;

  constructor(server: Db, served: Served) {
    this.#db = ownConnection(server);
    this.#writer = ownConnection(server);
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
    this.#latest = this.#connections === connections ? { tables: snapshot.tables, connections } : undefined;
    return snapshot;
  }

  async #read(): Promise<Snapshot> {
    const columns = await this.#tables();
    const used = await usedTables(this.#db);
    const rows = await readTables<{ name: string; rows: Row[] }>(
      this.#db,
      'test_snapshot',
      [...used, ...Object.keys(VIEWS), ...this.#sequences],
      (table) =>
        `select '${table}' as name, coalesce(jsonb_agg(t), '[]') as rows from ${VIEWS[table] ?? `(table ${table})`} t`,
    );
    const sequences = rows.splice(rows.length - this.#sequences.length);
    const unused = [...columns.keys()].filter((table) => !used.includes(table));
    return {
      tables: new Map([
        ...rows.map(({ name, rows }) => [name, rows] as const),
        ...unused.map((name) => [name, NONE] as const),
      ]),
      served: new Map(this.#served),
      sequences: sequences.map(({ name, rows: [state] }) => ({
        ...{ name, last: state?.is_called === true ? String(state.last_value) : null },
      })),
    };
  }

  /** Makes everything as it was. Triggers and references are not asked: what they did is in the snapshot. */
  async restore(to: Snapshot): Promise<void> {
    const now = this.#latest?.connections === this.#connections ? this.#latest : await this.#read();
    const changed = [...to.tables].filter(([table, rows]) => {
      const then = now.tables.get(table);
      return this.#columns.has(table) && then !== rows && JSON.stringify(then) !== JSON.stringify(rows);
    });
    // One message, and so one transaction, instead of dozens: this is done thousands of times.
    await this.#writer.pool.query(
      [
        'set local session_replication_role = replica',
        ...changed.flatMap(([table, rows]) => this.#replaced(table, rows)),
        ...to.sequences.map(({ name, last }) => `select setval('${name}', ${last ?? 1}, ${last !== null})`),
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

  #replaced(table: string, rows: readonly Row[]): string[] {
    const columns = this.#columns.get(table)?.join(', ');
    const all = `delete from ${table}`;
    if (rows.length === 0) return [all];
    return [
      all,
      `insert into ${table} (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::${table}, ${pg.escapeLiteral(JSON.stringify(rows))})`,
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

/** What a snapshot says that matters, one line for each row and each thing served, in a fixed order. Times, bytes
 *  and ids that were made on the way become placeholders.
 *  @param blur more that depends on the way */
export function comparable(snapshot: Snapshot, blur: readonly RegExp[]): readonly string[] {
  const known = LINES.get(snapshot) ?? new Map<string, readonly string[]>();
  LINES.set(snapshot, known);
  const key = String(blur);
  const lines = known.get(key) ?? linesOf(snapshot, blur);
  known.set(key, lines);
  return lines;
}

/** The same snapshot is compared with dozens of others. */
const LINES = new WeakMap<Snapshot, Map<string, readonly string[]>>();

function linesOf({ tables, served }: Snapshot, blur: readonly RegExp[]): string[] {
  const lines: string[] = [];
  for (const [table, rows] of tables) {
    if (HISTORY.has(table)) continue;
    const tally = TALLIES[table];
    for (const row of rows) if (tally === undefined || row[tally] !== 0) lines.push(line(table, row));
  }
  for (const [key, value] of served) lines.push(line(key, value));
  return lines.map((text) => plain(text, blur)).sort();
}

function line(place: string, value: object): string {
  const noun = place.split(' ')[0];
  const entries = Object.entries(value).filter(
    ([column]) => !PASSING.has(column) && !PASSING.has(`${noun}.${column}`),
  );
  return `${place} ${JSON.stringify(sorted(Object.fromEntries(entries)))}`;
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

/** What is in one list of lines and not in the other, or undefined when they are the same. */
export function difference(expected: readonly string[], actual: readonly string[]): string | undefined {
  const left = [...expected];
  const extra = actual.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  if (left.length + extra.length === 0) return undefined;
  return [...left.map((text) => `  missing: ${text}`), ...extra.map((text) => `  too much: ${text}`)].join(
    '\n',
  );
}

/** Locks and unfinished states that a task left behind when it ended. */
export function leftovers({ tables }: Snapshot, taskId: string): string[] {
  const found: string[] = [];
  for (const [table, rows] of tables) {
    if (HISTORY.has(table)) continue;
    for (const row of rows) {
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
