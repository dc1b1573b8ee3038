import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Document, makeTable } from '../../cli/src/table/make.ts';
import { NOUNS, VERBS } from '../../cli/src/table/nouns.ts';
import { flagOf, scopesOf, type Table } from '../../cli/src/table/shapes.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { expectGolden } from './golden.ts';

/** The command `virga` knows all operations of the document. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const server = shared(() => startTestServer({ worker: false }));

let ids: readonly string[];
let table: Table;

beforeAll(async () => {
  const document = (await server.call('GET', '/openapi.json')).body as Document;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  ids = operations.map(({ operationId }) => operationId);
  table = makeTable(document);
});

test('its table is that of the document', () => {
  const lines = [
    '{"nouns": [',
    table.nouns.map((noun) => JSON.stringify(noun)).join(',\n'),
    '],\n"operations": [',
    table.operations.map((row) => JSON.stringify(row)).join(',\n'),
    ']}\n',
  ];
  expectGolden(path.join(ROOT, 'cli/src/table/table.gen.json'), lines.join('\n'));
});

test('each operation is one verb of one noun, and none is missing', () => {
  expect(table.operations.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(new Set(table.operations.map(({ noun, verb }) => `${noun} ${verb}`)).size).toBe(ids.length);
  expect(Object.keys(VERBS).filter((id) => !ids.includes(id))).toEqual([]);
  const used = new Set(table.operations.map(({ noun }) => noun));
  expect(NOUNS.filter(({ noun }) => !used.has(noun))).toEqual([]);
});

test('no flag of an operation is called like another one, or like what each command understands', () => {
  const everywhere = ['output', 'query', 'profile', 'quiet', 'yes', 'file', 'help'];
  const twice = table.operations.flatMap((row) => {
    const { id, method, flags } = row;
    const names = flags.map(({ name }) => flagOf(name));
    const scopes = scopesOf(row).map((name) => name.replace(/_?[iI]d$/, ''));
    const reserved = [...everywhere, ...scopes, ...(method === 'GET' ? [] : ['wait'])];
    const isTaken = (name: string, at: number) => names.indexOf(name) !== at || reserved.includes(name);
    return names.filter(isTaken).map((name) => `${id} --${name}`);
  });
  expect(twice).toEqual([]);
});
