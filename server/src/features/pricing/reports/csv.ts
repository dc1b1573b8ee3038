import { RawReply } from '../../../platform/http/route.ts';

/** Rows as a file for spreadsheets, with the names of all fields in the first line. */
export function csvOf(file: string, rows: readonly object[]): RawReply {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => fields.map((field) => cell((row as Record<string, unknown>)[field])));
  const text = [fields, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
  return new RawReply('text/csv; charset=utf-8', text, {
    'content-disposition': `attachment; filename="${file}"`,
  });
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A spreadsheet would take it for a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
