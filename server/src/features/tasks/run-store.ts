import type { Db, Queryable } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { sql } from '../../platform/database/sql.ts';
import type { OperatorTaskQuery, RunOfTask } from './run-schema.ts';
import { COLUMNS, type TaskRow } from './store.ts';

/** SQL of how tasks are worked on. */

export interface RunRow {
  readonly id: string;
  readonly type: string;
  readonly client_id: number;
  readonly subject_name: string;
  readonly phase: RunOfTask['phase'];
  readonly failure: string | null;
  readonly attempt: number;
  readonly retries: number;
  readonly run_at: Date;
  readonly node: string | null;
  readonly heard_at: Date;
  readonly accepted_at: Date;
}

/** By the database's clock, which leases go by. */
const PHASE = sql`case when finished_at is not null then 'ended' when lease_until > now() then 'running'
  when lease_until is not null then 'lost' when run_at > now() then 'pausing' else 'waiting' end`;
const RUN = sql`${PHASE} as phase, failure, attempt, retries, run_at, node, updated_at as heard_at,
  created_at as accepted_at`;

/** @param clientId undefined: of whichever client */
export async function readRun(db: Queryable, id: string, clientId?: number): Promise<RunRow | undefined> {
  return db.row<RunRow>(sql`select id, type, client_id, subject_name, ${RUN} from tasks
      where id = ${id} and (${clientId ?? null}::int is null or client_id = ${clientId ?? null})`);
}

/** The oldest first: what hangs is at the top. */
export const listRuns = (
  db: Db,
  { client_id, region_id, phase, limit, offset }: OperatorTaskQuery,
): Promise<Page<TaskRow & RunRow>> =>
  listPage<TaskRow & RunRow>(db, {
    alias: 't',
    columns: sql`${COLUMNS}, ${RUN}`,
    limit,
    offset,
    table: phase === 'ended' ? 'tasks' : 'tasks_active',
    where: [
      phase === 'ended' ? sql`finished_at is not null` : sql`finished_at is null`,
      ...(phase === undefined ? [] : [sql`${PHASE} = ${phase}`]),
      ...(client_id === undefined ? [] : [sql`client_id = ${client_id}::int`]),
      ...(region_id === undefined ? [] : [sql`region_id = ${region_id}::int`]),
    ],
    order: phase === 'ended' ? 'created_at desc, id' : 'created_at, id',
  });
