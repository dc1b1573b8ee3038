import { type Db, sqlStateOf } from '../../platform/database/db.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { BackgroundJob } from '../../platform/feature.ts';

/** The lives of a database. One that was restored, copied or promoted begins a new life, with its own changes of tasks
 *  from some change on. So does each start of its server, since a folder that was put back looks like what it replaces,
 *  and each new table of epochs, which is what a dump leaves that was restored while the server ran.
 *  So a cursor can be recognised as of this history, or of one that never happened here. */

const LOOK_EVERY_MS = 1000;
const FORBIDDEN = '42501';

/** Which database this is. The first eight digits of a name of its log are its timeline, which a promotion changes. */
const TIMELINE = sql`substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || '/' ||
  (select oid from pg_database where datname = current_database())`;
const CLUSTER = sql`(select system_identifier from pg_control_system())`;

interface Identity {
  readonly identity: string;
}

/** Where PostgreSQL does not say which cluster it is, the rest has to do. */
async function readIdentity(db: Db): Promise<string> {
  const row = await db
    .row<Identity>(sql`select ${TIMELINE} || '/' || ${CLUSTER} as identity`)
    .catch((error) => {
      if (sqlStateOf(error) !== FORBIDDEN) throw error;
      return db.row<Identity>(sql`select ${TIMELINE} as identity`);
    });
  return row?.identity ?? '';
}

/** Whether the newest epoch, if there is one, is of this database, this start of its server and this table. */
const known = (identity: string): Sql => sql`select from (
    select identity, server_started_at, table_oid from task_epochs order by number desc limit 1) e
  where identity = ${identity}::text and server_started_at = pg_postmaster_start_time()
    and table_oid = 'task_epochs'::regclass::oid::bigint`;

/** Notes it when a new life of the database has begun. */
export async function keepEpoch(db: Db): Promise<void> {
  const identity = await readIdentity(db);
  if (await db.any(known(identity))) return;
  await db.transaction(async (tx) => {
    await tx.run(sql`lock table task_epochs in share row exclusive mode`);
    // Copies of tables come without the state of sequences.
    await tx.run(sql`
      with last as (
        select greatest((select last_value from task_changes), (select max(change) from tasks)) as change),
      begun as (
        insert into task_epochs (identity, server_started_at, table_oid, began_at)
        select ${identity}::text, pg_postmaster_start_time(), 'task_epochs'::regclass::oid::bigint, change from last
         where not exists (${known(identity)})
        returning began_at)
      select setval('task_changes', began_at) from begun`);
    await tx.run(sql`delete from task_epochs e where exists (
  select from task_epochs n where n.number > e.number and n.began_at < (select min(change) from tasks))`);
  });
}

/** Looks whether the database is still the one that it was. */
export function epochJob(db: Db): BackgroundJob {
  return {
    name: 'task-epochs',
    everyMs: LOOK_EVERY_MS,
    exclusive: true,
    beforeReady: true,
    run: () => keepEpoch(db),
  };
}
