import type { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/** SQL of the list of nodes. Times are the database's, since the nodes' clocks may differ. */

export type NodeRole = 'all' | 'api' | 'worker';

/** A process that shares the database with others. */
export interface NodeRow {
  readonly name: string;
  readonly role: NodeRole;
  readonly version: string;
}

/** A node that has not been heard of for this long counts as gone. */
const SILENT = sql`interval '5 seconds'`;
/** So long it is still known that there was one. */
const FORGOTTEN = sql`interval '1 hour'`;

/** Says that a process is alive, and forgets those of which nothing was heard for long. */
export async function sayAlive(db: Db, session: string, { name, role, version }: NodeRow): Promise<void> {
  await db.run(sql`with gone as (delete from nodes where seen_at < now() - ${FORGOTTEN} and session <> ${session})
     insert into nodes (session, name, role, version) values (${session}, ${name}, ${role}, ${version})
     on conflict (session) do update set seen_at = now()`);
}

export async function sayGone(db: Db, session: string): Promise<void> {
  await db.run(sql`delete from nodes where session = ${session}`);
}

export interface NodeCount {
  readonly role: NodeRole;
  readonly version: string;
  readonly count: number;
}

/** How many processes are alive, by what they do and their version. */
export async function countAlive(db: Db): Promise<readonly NodeCount[]> {
  return db.rows<NodeCount>(
    sql`select role, version, count(*) from nodes where seen_at > now() - ${SILENT} group by 1, 2 order by 1, 2`,
  );
}

export interface KnownNode extends NodeRow {
  readonly session: string;
  readonly started_at: Date;
  readonly seen_at: Date;
  /** Heard of lately enough to count. */
  readonly alive: boolean;
}

/** The processes that are alive, and those that fell silent within the last hour; the newest first. */
export async function listNodes(db: Db): Promise<readonly KnownNode[]> {
  return db.rows<KnownNode>(sql`select session, name, role, version, started_at, seen_at, seen_at > now() - ${SILENT} as alive
       from nodes order by started_at desc, session`);
}
