import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The document in both editions, as generators of clients and linters read it. `npm run judge` compiles the clients of
 *  other languages. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const EDITIONS = { '3.0': '/openapi-3.0.json', '3.1': '/openapi.json' } as const;
type Edition = keyof typeof EDITIONS;
const editions = Object.keys(EDITIONS) as Edition[];

type Node = Readonly<Record<string, unknown>>;

const server = shared(() => startTestServer({ worker: false }));
const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-generators-'));
symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

let listening: Promise<string> | undefined;
/** Where the server can be reached by a client of its own. */
const address = () => (listening ??= server.api.listen({ host: '127.0.0.1', port: 0 }));

const read = async (edition: Edition): Promise<Node> =>
  (await server.call('GET', EDITIONS[edition])).body as Node;

/** Calls it with each object within, and where that stands. */
function visit(node: unknown, look: (node: Node, scope: string) => void, scope = ''): void {
  if (typeof node !== 'object' || node === null) return;
  look(node as Node, scope);
  for (const [key, value] of Object.entries(node)) visit(value, look, `${scope}/${key}`);
}

const variantsOf = ({ anyOf, oneOf }: Node) => (anyOf ?? oneOf ?? []) as readonly Node[];

describe.each(editions)('the document in OpenAPI %s', (edition) => {
  test('is valid', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(await read(edition)));
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, edition]);
  });

  test('has a name for each kind of object that may stand in one place', async () => {
    const nameless: string[] = [];
    const unmapped: string[] = [];
    visit(await read(edition), (node, scope) => {
      if (!Array.isArray(node.anyOf ?? node.oneOf)) return;
      if (variantsOf(node).some(({ type, properties }) => type === 'object' || properties))
        nameless.push(scope);
      const discriminator = node.discriminator as { mapping?: object } | undefined;
      if (!discriminator) return;
      const mapped = new Set(Object.values(discriminator.mapping ?? {}));
      if (!variantsOf(node).every(({ $ref }) => mapped.has($ref))) unmapped.push(scope);
    });
    expect({ nameless, unmapped }).toEqual({ nameless: [], unmapped: [] });
  });

  test('has no schema that is called as a client is, and no object as a preset', async () => {
    const document = await read(edition);
    const { schemas } = document.components as { schemas: Node };
    expect(Object.keys(schemas).filter((name) => /^(authenticated)?client$/i.test(name))).toEqual([]);
    const presets: string[] = [];
    visit(document, ({ default: preset, type, anyOf }, scope) => {
      const isSchema = type !== undefined || anyOf !== undefined;
      if (isSchema && JSON.stringify(preset)?.startsWith('{')) presets.push(scope);
    });
    expect(presets.filter((scope) => !scope.endsWith('/properties'))).toEqual([]);
  });

  test('satisfies Redocly', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      // The router prefers words to parameters, and existing clients call these paths.
      rules: { 'no-ambiguous-paths': 'off' },
    });
    const source = JSON.stringify(await read(edition));
    const problems = await lintFromString({ source, absoluteRef: `${edition}.json`, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('satisfies Spectral', async () => {
    const linter = new spectral.Spectral();
    // Whoever runs an installation is its contact, and says so elsewhere.
    linter.setRuleset({ extends: [rulesets.oas], rules: { 'info-contact': 'off' } } as never);
    const problems = await linter.run(JSON.stringify(await read(edition)));
    expect(
      problems.map(({ code, message, path: scope }) => `${code} ${scope.join('/')}: ${message}`),
    ).toEqual([]);
  });

  test('makes types that a program lists projects with', async () => {
    const name = edition.replace('.', '_');
    const generator = path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
    const source = path.join(folder, `${name}.json`);
    writeFileSync(source, JSON.stringify(await read(edition)));
    const types = path.join(folder, `${name}.ts`);
    execFileSync(process.execPath, [generator, source, '-o', types], { stdio: 'ignore' });
    const program = path.join(folder, `program_${name}.ts`);
    writeFileSync(program, PROGRAM.replace('TYPES', `./${name}.ts`));
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];
    const flags = [...options, '--allowImportingTsExtensions', program];
    const compiled = spawnSync(process.execPath, [compiler, ...flags], { cwd: folder, encoding: 'utf8' });
    expect([compiled.stdout, compiled.status]).toEqual(['', 0]);
    const bundle = path.join(folder, `program_${name}.mjs`);
    buildSync({ entryPoints: [program], outfile: bundle, bundle: true, format: 'esm', platform: 'node' });
    const { listProjects } = await import(pathToFileURL(bundle).href);
    const listed = (await server.call('GET', '/cloud/v1/projects')).body.results as { name: string }[];
    const names = await listProjects(await address(), server.tokens.Administrators);
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual(listed.map((project) => project.name));
  });
});

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from 'TYPES';
export async function listProjects(baseUrl: string, token: string): Promise<string[]> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: 'APIKey ' + token } });
  const { data, error } = await client.GET('/cloud/v1/projects', { params: { query: { limit: 10 } } });
  if (error) throw new Error(JSON.stringify(error));
  return data.results.map(({ name }) => name);
}
const replayed: paths['/cloud/v1/projects']['post']['responses'][201]['headers']['Idempotency-Replayed'] = 'true';
const volume: components['schemas']['CreateVolume'] = { source: 'new-volume', name: 'data', size: 10 };
// @ts-expect-error: an image makes a volume of it
const wrong: components['schemas']['CreateVolume'] = { source: 'image', name: 'data', size: 10 };
export { replayed, volume, wrong };
`;

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { $ref?: string }[];
  readonly responses: Readonly<Record<string, { $ref?: string; headers?: Node }>>;
}

test('every operation names its headers', async () => {
  const document = await read('3.1');
  const { responses } = document.components as { responses: Record<string, { headers: Node }> };
  const faults: string[] = [];
  for (const methods of Object.values(document.paths as Record<string, Record<string, Operation>>)) {
    for (const [method, { operationId, security, parameters, responses: answers }] of Object.entries(
      methods,
    )) {
      const takesKey = method !== 'get' && security?.length !== 0;
      const named = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey');
      if (named !== takesKey) faults.push(`${operationId}: Idempotency-Key`);
      for (const [status, { $ref, headers: own }] of Object.entries(answers)) {
        const headers = own ?? responses[$ref?.split('/').at(-1) ?? '']?.headers ?? {};
        const expected = ['X-Request-Id', 'X-Ratelimit-Limit', 'X-Ratelimit-Remaining', 'X-Ratelimit-Reset'];
        if (takesKey && status.startsWith('2')) expected.push('Idempotency-Replayed');
        if (['409', '429', 'default'].includes(status)) expected.push('Retry-After');
        const missing = expected.filter((name) => !(name in headers));
        if (missing.length > 0) faults.push(`${operationId} ${status}: ${missing}`);
      }
    }
  }
  expect(faults).toEqual([]);
});
