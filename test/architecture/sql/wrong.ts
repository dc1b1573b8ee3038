import type { Db } from '../../../server/src/platform/database/db.ts';

/** Statements that are wrong, which the test next door looks for. Nothing runs them. */

export const wrongColumn = (db: Db) =>
  db.named<{ id: string }>('wrong_column', 'select identity from volumes', []);

export const wrongTable = (db: Db) => db.named<{ id: string }>('wrong_table', 'select id from volume', []);

export const wrongType = (db: Db) => db.named<{ size: string }>('wrong_type', 'select size from volumes', []);

export const missingColumn = (db: Db) =>
  db.named<{ id: string; size: number }>('missing_column', 'select id from volumes', []);

export const nullable = (db: Db) =>
  db.named<{ task_id: string }>('nullable', 'select task_id from volumes', []);

export const outerJoin = (db: Db) =>
  db.named<{ name: string }>(
    'outer_join',
    'select i.name from volumes v left join instances i on i.id = v.instance_id',
    [],
  );

export const wrongValue = (db: Db, name: string) =>
  db.named<{ id: string }>('wrong_value', 'select id from volumes where size = $1', [name]);

export const composed = (db: Db, onlyFree: boolean) =>
  db.named<{ id: string }>('composed', `select id from volumes where ${onlyFree ? 'free' : 'true'}`, []);

export const right = (db: Db, id: string) =>
  db.named<{ name: string; task_id: string | null }>(
    'right',
    'select name, task_id from volumes where id = $1 and project_id is not null',
    [id],
  );
