/** Rows of the API as a table that spreadsheets read. */

type Row = Readonly<Record<string, unknown>>;

/** What a spreadsheet would take for a formula begins with one of these. */
const FORMULA = /^[=+\-@\t\r]/;

/** Each field of a row is a column, those of all rows in the order in which they come; what has parts is JSON.
 *  @returns CSV as RFC 4180 has it */
export function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => cellOf((row as Row)[column])));
  return `${[columns, ...lines].map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  return typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
