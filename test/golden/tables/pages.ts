import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** docs/tables.md, drawn from the schema dump: the tables of each folder that keeps some, and what leads where. */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const SOURCES = path.join(ROOT, 'server', 'src');

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Names of tables that rows of this one belong to. */
  readonly references: readonly string[];
}

export function tablesPage(): string {
  const schema = readFileSync(path.join(ROOT, 'server', 'schema.sql'), 'utf8');
  const tables = tablesOf(schema).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const owners = ownersOf(tables.map(({ name }) => name));
  const folders = [...new Set(owners.values())].sort();
  const sections = folders.map((folder) =>
    section(
      folder,
      tables.filter(({ name }) => owners.get(name) === folder),
    ),
  );
  return `# Tables

What PostgreSQL keeps, by the folder of \`server/src\` that writes it. \`npm run generate\` draws this page from [the schema](../server/schema.sql). A line joins a table with the one that its rows belong to; tables of other folders stand without columns.

${sections.join('\n\n')}
`;
}

function tablesOf(schema: string): readonly Table[] {
  const found = schema.matchAll(/^create table (\w+) \(\n(.*?)^\)[^;]*;/gms);
  return [...found].map(([, name = '', body = '']) => {
    // Deeper lines belong to an expression above them.
    const lines = body.split('\n').flatMap((line) => /^ {2}([a-z].*?),?$/.exec(line)?.[1] ?? []);
    const keys = /PRIMARY KEY \(([^)]*)\)/.exec(body)?.[1]?.split(', ') ?? [];
    const columns = lines
      .filter((line) => !line.startsWith('constraint '))
      .map((line) => columnOf(line, keys));
    const references = [...body.matchAll(/REFERENCES (\w+)\(/g)].map(([, target = '']) => target);
    return { name, columns, references: [...new Set(references)] };
  });
}

function columnOf(line: string, keys: readonly string[]): Column {
  const [name = '', ...words] = line.split(' ');
  const type = words
    .join(' ')
    .replace(/ (default|not null|generated|collate).*$/, '')
    .replace('timestamp with time zone', 'timestamptz');
  return { name, type: type.replace(/[^\w[\]]+/g, '_'), isKey: keys.includes(name) };
}

/** The folder with the most statements that write a table, then with the most that name it. */
function ownersOf(tables: readonly string[]): ReadonlyMap<string, string> {
  const folders = ['features', 'platform'].flatMap((layer) =>
    readdirSync(path.join(SOURCES, layer), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${layer}/${name}`),
  );
  folders.push('regions', 'seed', 'startup');
  const texts = folders.map((folder) => [folder, sourceOf(path.join(SOURCES, folder))] as const);
  return new Map(
    tables.map((table) => {
      const score = (text: string) =>
        1_000 * count(text, `(?:insert into |insertionOf\\(\\s*')${table}\\b`) +
        count(text, `['\`\\s]${table}\\b`);
      const [best] = texts
        .map(([folder, text]) => [folder, score(text)] as const)
        .sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
      return [table, best && best[1] > 0 ? best[0] : 'others'];
    }),
  );
}

const sourceOf = (folder: string): string =>
  textOf(folder, readdirSync(folder, { recursive: true, encoding: 'utf8' }));

function textOf(folder: string, files: readonly string[]): string {
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.gen.ts'))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n');
}

const count = (text: string, pattern: string): number => text.match(new RegExp(pattern, 'g'))?.length ?? 0;

function section(folder: string, tables: readonly Table[]): string {
  const boxes = tables.map(
    ({ name, columns }) =>
      `  ${name} {\n${columns.map((column) => `    ${column.type} ${column.name}${column.isKey ? ' PK' : ''}`).join('\n')}\n  }`,
  );
  const lines = tables.flatMap(({ name, references }) =>
    references.map((target) => `  ${target} ||--o{ ${name} : ""`),
  );
  return `## ${folder}\n\n\`\`\`mermaid\nerDiagram\n${[...boxes, ...lines].join('\n')}\n\`\`\``;
}
