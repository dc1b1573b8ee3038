import { raw, type Sql } from './sql.ts';
/** Rows that PostgreSQL sends as one JSON value, an array for each row. The client then parses one text instead of a
 *  value at a time, and nothing of it outlives the answer: measured on 100 rows of 19 columns, 0.2 ms of processor
 *  time instead of 0.6, and under load a third of the garbage collection. Worth it for lists and hot look-ups. */
export class JsonRows<Row extends object> {
  readonly #names: readonly string[];
  /** Copied and filled in: three times as fast as an object that grows name by name. */
  readonly #blank: Readonly<Record<string, unknown>>;
  /** `json_build_array(r.id, …)`, to be selected from a subquery called `r` that has all the columns. */
  readonly sql: Sql;

  /** @param times columns of type timestamptz: they come as UtcText */
  constructor(names: readonly (keyof Row & string)[], times: readonly (keyof Row & string)[] = []) {
    this.#names = names;
    this.#blank = Object.fromEntries(names.map((name) => [name, null]));
    const values = names.map((name) => `r.${name}${times.includes(name) ? ` at time zone 'UTC'` : ''}`);
    this.sql = raw(`json_build_array(${values.join(', ')})`);
  }

  read(values: readonly unknown[]): Row {
    const row: Record<string, unknown> = { ...this.#blank };
    this.#names.forEach((name, i) => {
      row[name] = values[i];
    });
    return row as Row;
  }
}
