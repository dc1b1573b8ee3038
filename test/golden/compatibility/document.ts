import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The generated part of docs/compatibility.md: a table for each area, a line for each operation. The lines are
 *  also the memory of which tests show an operation at work, so that most changes need no test to be run. */

export const ROOT = path.join(import.meta.dirname, '..', '..', '..');
export const DOCUMENT = path.join(ROOT, 'docs', 'compatibility.md');

export interface Line {
  /** `GET /cloud/v1/tasks/{task_id}` */
  readonly operation: string;
  readonly area: string;
  readonly summary: string;
  /** The providers whose regions it works in, or nothing when it needs none. */
  readonly providers: readonly string[] | undefined;
}

/** Test files, from the root of the repository, by operation. */
export type Shown = ReadonlyMap<string, readonly string[]>;

export const readCompatibility = (): string => (existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '');

const LINE = /^\| `([A-Z]+ \/\S*)` \|.*\|([^|]*)\|$/;

/** Of the section that has them: other tables name calls, too. */
const HEADING = '\n## Operations\n';

/** What a document says, line by line, whatever else is in it (marks of a merge conflict, for example). */
export function shownBy(document: string): Shown {
  const shown = new Map<string, string[]>();
  const operations = document.slice(Math.max(document.lastIndexOf(HEADING), 0));
  for (const line of operations.split('\n')) {
    const [, operation, links = ''] = LINE.exec(line) ?? [];
    if (operation === undefined) continue;
    const files = [...links.matchAll(/\(\.\.\/([^)]+)\)/g)].map(([, file]) => String(file));
    shown.set(operation, [...new Set([...(shown.get(operation) ?? []), ...files])]);
  }
  return shown;
}

/** The operations that a document says a test file shows. */
export function claimsOf(document: string, file: string): string[] {
  return [...shownBy(document)].filter(([, files]) => files.includes(file)).map(([operation]) => operation);
}

/** What one test file called with success. */
export interface Recorded {
  readonly file: string;
  readonly operations: readonly string[];
}

const SHOWN_AT_MOST = 2;

/** The test files that show an operation best: those that are most about its area. */
export function best(operation: string, areas: ReadonlyMap<string, string>, records: readonly Recorded[]) {
  const area = areas.get(operation);
  const share = ({ operations }: Recorded) =>
    operations.filter((each) => areas.get(each) === area).length / operations.length;
  return records
    .filter(({ operations }) => operations.includes(operation))
    .sort((a, b) => share(b) - share(a) || (a.file < b.file ? -1 : 1))
    .slice(0, SHOWN_AT_MOST)
    .map(({ file }) => file);
}

/** What is put into the introduction, by its marks: `<!-- made: name -->`. */
export type Parts = Readonly<Record<string, string>>;

export function render(introduction: string, parts: Parts, lines: readonly Line[], shown: Shown): string {
  const areas = [...new Set(lines.map(({ area }) => area))];
  const tables = areas.map((area) => {
    const rows = lines.filter((line) => line.area === area).map((line) => row(line, shown));
    return [`### ${area}`, '', HEAD, ...rows, ''].join('\n');
  });
  return `${NOTICE}\n\n${fillIn(introduction.trim(), parts)}\n\n${tables.join('\n')}`;
}

function fillIn(introduction: string, parts: Parts): string {
  return introduction.replace(/<!-- made: ([\w-]+) -->/g, (mark, name: string) => parts[name] ?? mark);
}

const NOTICE =
  '<!-- Made by npm run generate, from docs/compatibility.intro.md and what is served. Do not edit. -->';
const HEAD = '| operation | what it does | regions | shown by |\n|---|---|---|---|';

function row({ operation, summary, providers }: Line, shown: Shown): string {
  const regions = providers === undefined ? 'any' : providers.join(', ');
  const files = shown.get(operation) ?? [];
  const links = files.map((file) => `[${path.basename(file, '.test.ts')}](../${file})`);
  return `| \`${operation}\` | ${summary.replaceAll('|', '\\|')} | ${regions} | ${links.join(', ') || '-'} |`;
}
