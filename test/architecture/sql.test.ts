import { readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Describer } from './sql/describe.ts';
import { faultsOf } from './sql/faults.ts';
import { findStatements, type Statements } from './sql/statements.ts';

/** Every statement of the server is prepared by PostgreSQL with the schema of the migrations: its tables and columns
 *  are there, and its rows and values have the types that the sources declare. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const SOURCES = path.join(ROOT, 'server', 'src');
const WRONG = path.join(import.meta.dirname, 'sql', 'wrong.ts');

/** Files whose statements are made of what is not in the sources, or of tables that features register; tests run them. */
const UNREAD = /^server\/src\/platform\/(database\/sql-files|tasks\/locks)\.ts/;

let database: TestDatabase;
let client: pg.Client;
let checker: ts.TypeChecker;
let statements: Statements;
let faults: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(database.connection);
  await client.connect();
  const files = [...sources(), WRONG];
  const program = ts.createProgram(files, optionsOf(path.join(ROOT, 'tsconfig.json')));
  checker = program.getTypeChecker();
  const sourceFiles = files.flatMap((file) => program.getSourceFile(file) ?? []);
  statements = findStatements({ checker, files: sourceFiles }, ROOT);
  const describer = await Describer.on(client);
  const found = statements.found.filter(({ where }) => !UNREAD.test(where));
  faults = await faultsOf(checker, describer, found);
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const sources = () =>
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join(SOURCES, file));

function optionsOf(config: string): ts.CompilerOptions {
  const { config: json } = ts.readConfigFile(config, ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(json.compilerOptions, ROOT).options;
}

const isWrong = (line: string) => line.startsWith('test/architecture/sql/wrong.ts');

test('all statements can be read from the sources', () => {
  expect(statements.unread.filter((line) => !UNREAD.test(line))).toEqual([]);
  expect(new Set(statements.found.map(({ where }) => where)).size).toBeGreaterThan(650);
});

test('tables, columns, values and rows are as the schema has them', () => {
  expect(faults.filter((line) => !isWrong(line))).toEqual([]);
});

test('a wrong table, column, row or value is refused, with its place and the reason', () => {
  const said = faults.filter(isWrong).map((line) => line.replace(/^.*?:\d+: /, ''));
  expect(said).toEqual([
    'column "identity" does not exist, in: select identity from volumes',
    'relation "volume" does not exist, in: select id from volume',
    'size is int8, and is declared string, in: select size from volumes',
    'the answer has no column size, in: select id from volumes',
    'task_id can be null, and is declared string, in: select task_id from volumes',
    'name can be null, and is declared string, in: select i.name from volumes v left join instances i on i.id = v.instance_id',
    '$1 is int8, and is given string, in: select id from volumes where size = $1',
    'column "free" does not exist, in: select id from volumes where free',
  ]);
});
