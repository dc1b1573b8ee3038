import type { Db } from '../../../server/src/platform/database/db.ts';
import { sql } from '../../../server/src/platform/database/sql.ts';

/** Statements that are wrong, which the test next door looks for. Nothing runs them. */

export const wrongColumn = (db: Db) => db.rows<{ id: string }>(sql`select identity from volumes`);

export const wrongTable = (db: Db) => db.rows<{ id: string }>(sql`select id from volume`);

export const wrongType = (db: Db) => db.rows<{ size: string }>(sql`select size from volumes`);

export const missingColumn = (db: Db) => db.rows<{ id: string; size: number }>(sql`select id from volumes`);

export const nullable = (db: Db) => db.rows<{ task_id: string }>(sql`select task_id from volumes`);

export const outerJoin = (db: Db) =>
  db.rows<{ name: string }>(sql`select i.name from volumes v left join instances i on i.id = v.instance_id`);

export const wrongValue = (db: Db, name: string) =>
  db.rows<{ id: string }>(sql`select id from volumes where size = ${name}`);

export const composed = (db: Db, onlyFree: boolean) =>
  db.rows<{ id: string }>(sql`select id from volumes where ${onlyFree ? sql`free` : sql`true`}`);

export const right = (db: Db, id: string) =>
  db.rows<{ name: string; task_id: string | null }>(
    sql`select name, task_id from volumes where id = ${id} and project_id is not null`,
  );
