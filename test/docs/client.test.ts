import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildClient } from '../../scripts/lib/client.mjs';
import { ROOT } from '../../scripts/lib/root.mjs';
import { blocksOf, runScript } from '../harness/documents.ts';
import { newFolder } from '../harness/leftovers.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** client/README.md as it stands, with the client as it is published. */

const server = shared(() => startTestServer());
const folder = newFolder('e2e');
const examples = blocksOf('client/README.md', 'js');
const nameOf = (index: number) => path.join(folder, `example-${index}.mjs`);

let url: string;

beforeAll(async () => {
  url = await server.api.listen({ host: '127.0.0.1', port: 0 });
  const modules = path.join(folder, 'node_modules');
  const client = path.join(modules, '@virga', 'client');
  mkdirSync(client, { recursive: true });
  cpSync(path.join(ROOT, 'client', 'package.json'), path.join(client, 'package.json'));
  buildClient(ROOT, path.join(client, 'dist'));
  const { dependencies } = JSON.parse(readFileSync(path.join(client, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies))
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  examples.forEach((text, index) => {
    writeFileSync(nameOf(index), text);
  });
});

const SAID = ['shop true\n', 'FINISHED 1\n', 'true\n', `400 ValidationError [ 'name' ]\n`, 'true\n'];

describe('the README of the client', () => {
  test.each(SAID.map((said, index) => [index, said] as const))('example %i runs', async (index, said) => {
    const env = { VIRGA_URL: url, VIRGA_TOKEN: server.tokens.Administrators };
    const ran = await runScript(`${process.execPath} ${nameOf(index)}`, env);
    expect(ran).toMatchObject({ code: 0, output: said });
    expect(examples).toHaveLength(SAID.length);
  });

  test('its examples have the types of the client, without those of Node.js', () => {
    const config = {
      compilerOptions: {
        checkJs: true,
        allowJs: true,
        noEmit: true,
        module: 'NodeNext',
        target: 'ES2023',
        lib: ['ES2024', 'DOM', 'DOM.AsyncIterable'],
        strict: true,
        types: [],
      },
      files: [...examples.map((_, index) => nameOf(index)), 'process.d.ts'],
    };
    writeFileSync(
      path.join(folder, 'process.d.ts'),
      'declare const process: { env: Record<string, any> };\n',
    );
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = path.join(ROOT, 'node_modules/typescript7/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
