import type { Db } from '../../server/src/platform/database/db.ts';
import { raw, sql } from '../../server/src/platform/database/sql.ts';
import { World } from '../generated/examples/world.ts';
import type { TestServer } from '../harness/server.ts';
import { usedTables } from '../harness/used-tables.ts';
import { waitUntil } from '../harness/wait.ts';

/** Client 2, who has something of everything, and does nothing while others attack. */

export const CLIENT = 2;

const KINDS = [
  'network',
  'subnet',
  'floatingIp',
  'reservedPort',
  'instance',
  'port',
  'group',
  'groupRule',
  'serverGroup',
  'image',
  'volume',
  'snapshot',
  'lifecyclePolicy',
  'loadBalancer',
  'listener',
  'pool',
  'member',
  'monitor',
  'policy',
  'rule',
  'secret',
  'sshKey',
  'cluster',
  'storage',
  'sftpStorage',
  'storageSshKey',
  'bucket',
  'postgresql',
  'notification',
  'task',
];

/** What says by itself that time goes on: who was seen when. */
const TOUCHED = new Set([
  'api_tokens',
  'rate_limits',
  'known_sources',
  'request_counts',
  'nodes',
  'region_owners',
]);
/** What operators may change of any client, and an example does. */
const BY_OPERATORS = ['quota_limit'];
/** The same in its log. */
const ACTS_OF_OPERATORS = ['set_quota_limits'];

interface Row {
  readonly table: string;
  readonly values: Readonly<Record<string, unknown>>;
}

async function allRows(db: Db): Promise<Row[]> {
  const rows: Row[] = [];
  for (const table of await usedTables(db)) {
    if (TOUCHED.has(table)) continue;
    for (const { values } of await db.rows<Pick<Row, 'values'>>(
      sql`select to_jsonb(t) - ${BY_OPERATORS}::text[] as values from ${raw(table)} t`,
    )) {
      rows.push({ table, values });
    }
  }
  return rows;
}

/** How JSON begins that is a value of bytea. */
const BYTES = '"\\\\x';

const textOf = ({ table, values }: Row) => `${table} ${JSON.stringify(values)}`;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Stands for "unique in the whole region" among addresses. */
const NIL = '00000000-0000-0000-0000-000000000000';

const isOf = ({ values }: Row, project: number) =>
  values.client_id === CLIENT || values.project_id === project;

const uuidsOf = (rows: readonly string[]) => new Set(rows.flatMap((row) => row.match(UUID) ?? []));

/** The same server, called with the other client's token. */
export function asVictim(server: TestServer): TestServer {
  const call: TestServer['call'] = (method, path, options = {}) =>
    server.call(method, path, { as: 'other client', ...options });
  const ended: TestServer['ended'] = async ({ body }) => {
    const task = async () => (await call('GET', `/cloud/v1/tasks/${body.tasks[0]}`)).body;
    await waitUntil(async () => ['FINISHED', 'ERROR'].includes((await task()).state), {
      what: 'a task of the other client',
    });
    return task();
  };
  return new Proxy(server, {
    get: (target, name) =>
      name === 'call' ? call : name === 'ended' ? ended : Reflect.get(target, name, target),
  });
}

export class Victim {
  readonly project: number;
  readonly user = 2;
  /** What it has, by the kind. */
  readonly ids: ReadonlyMap<string, string>;
  readonly #db: Db;
  readonly #rows: ReadonlySet<string>;
  /** Ids that nobody else's rows had. */
  readonly uuids: ReadonlySet<string>;

  private constructor(
    db: Db,
    project: number,
    ids: ReadonlyMap<string, string>,
    before: Set<string>,
    rows: string[],
  ) {
    this.#db = db;
    this.project = project;
    this.ids = ids;
    this.#rows = new Set(rows);
    const others = uuidsOf([...before]);
    this.uuids = new Set([...uuidsOf(rows)].filter((id) => id !== NIL && !others.has(id)));
  }

  static async on(server: TestServer): Promise<Victim> {
    const before = new Set((await allRows(server.db)).map(textOf));
    const world = await World.on(asVictim(server));
    const ids = new Map<string, string>();
    ids.set('router', await world.done('POST', world.at('routers'), { name: 'around' }, 'routers'));
    for (const kind of KINDS) ids.set(kind, await world.get(kind));
    // Nobody else has waited for this one: what it makes would still change.
    await world.server.ended({ status: 200, headers: {}, body: { tasks: [ids.get('task')] } });
    const after = await allRows(server.db);
    const rows = after.filter((row) => isOf(row, world.project) || !before.has(textOf(row))).map(textOf);
    return new Victim(server.db, world.project, ids, before, rows);
  }

  /** Rows that it has lost, got, or that are others now. */
  async changes(): Promise<string[]> {
    const now = await allRows(this.#db);
    const there = new Set(now.map(textOf));
    const lost = [...this.#rows].filter((row) => !there.has(row)).map((row) => `was ${row}`);
    const got = now.filter(
      (row) =>
        isOf(row, this.project) &&
        !this.#rows.has(textOf(row)) &&
        !(row.table === 'audit_log' && ACTS_OF_OPERATORS.includes(String(row.values.action))),
    );
    return [...lost, ...got.map((row) => `is ${textOf(row)}`)];
  }

  /** Where a row that is not its own has one of these texts. */
  async elsewhere(marks: readonly string[]): Promise<string[]> {
    const others = (await allRows(this.#db)).filter((row) => !this.#rows.has(textOf(row)));
    return others.flatMap(({ table, values }) =>
      Object.entries(values).flatMap(([column, value]) => {
        const text = JSON.stringify(value);
        // What is encrypted shows nothing, but may have any digits by chance.
        const mark = text.startsWith(BYTES) ? undefined : marks.find((each) => text.includes(each));
        return mark === undefined ? [] : [`${table}.${column}: ${mark} in ${text.slice(0, 200)}`];
      }),
    );
  }
}
