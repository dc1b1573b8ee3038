import type { Queryable } from './db.ts';
import type { Sql } from './sql.ts';

/** What `rows` reads, asked for in fewer words. */
export const LOOK_UPS = {
  async row<Row>(this: Queryable, statement: Sql): Promise<Row | undefined> {
    return (await this.rows<Row>(statement))[0];
  },
  async number(this: Queryable, statement: Sql): Promise<number> {
    const [row] = await this.rows<object>(statement);
    return Object.values(row ?? {})[0] ?? 0;
  },
  async any(this: Queryable, statement: Sql): Promise<boolean> {
    return (await this.rows(statement)).length > 0;
  },
  async run(this: Queryable, statement: Sql): Promise<void> {
    await this.rows(statement);
  },
};
