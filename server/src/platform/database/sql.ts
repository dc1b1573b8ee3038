import tag, { empty, join, raw as rawText, type Sql } from 'sql-template-tag';

/** Statements and parts of them: `sql`text ${value}`` has values as parameters, and other `Sql` as part of the text.
 *  `raw` is for names that the sources know, never for what comes from outside. What is run is checked against the
 *  schema by `test/architecture/sql.test.ts`. */
export const sql = tag;
export const raw = (text: string | number): Sql => rawText(String(text));
export { empty, join, type Sql };
