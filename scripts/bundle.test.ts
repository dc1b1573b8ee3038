import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { areBundled, bundle } from './lib/bundle.mjs';

const root = mkdtempSync(path.join(tmpdir(), 'virga-bundle-'));
afterAll(() => rmSync(root, { recursive: true }));

mkdirSync(path.join(root, 'edge'));
writeFileSync(
  path.join(root, 'edge', 'package.json'),
  JSON.stringify({ dependencies: { kysely: '1.0.0', pino: '1.0.0' } }),
);

const SOURCE = `/** A comment that the bundle does without. */
const reason: string = 'out of order';

throw new Error(reason);
`;

test('the trace of an error names the line of the source, and the bundle does without its comments', async () => {
  mkdirSync(path.join(root, 'edge', 'src'), { recursive: true });
  writeFileSync(path.join(root, 'edge', 'src', 'main.ts'), SOURCE);
  const file = await bundle(root, 'edge');
  const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  expect(stderr).toContain(`${path.join(root, 'edge', 'src', 'main.ts')}:4`);
  expect(stderr).toContain('throw new Error(reason);');
  expect(readFileSync(file, 'utf8')).not.toContain('does without');
});

test('the trace of an error says what Node says of it, of packages their line, and without a map where the bundle has it', async () => {
  const source = [
    `import { createHash } from 'node:crypto';`,
    `import { fail } from 'kysely';`,
    `const say = (step: () => unknown) => { try { step(); } catch (error) { console.log((error as Error).stack); } };`,
    `say(() => createHash(5 as never));`,
    `say(() => fail());`,
    `console.log(new Error('outer', { cause: new Error('inner') }));`,
  ];
  writePackage('kysely', `\nexport const fail = () => { throw new Error('a package fails'); };\n`);
  writeFileSync(path.join(root, 'edge', 'src', 'main.ts'), source.join('\n'));
  const file = await bundle(root, 'edge');
  const main = path.join(root, 'edge', 'src', 'main.ts');
  const said = () => spawnSync(process.execPath, [file], { encoding: 'utf8' }).stdout;
  expect(said()).toContain('TypeError [ERR_INVALID_ARG_TYPE]: The "algorithm" argument');
  expect(said()).toContain(`${main}:4:11`);
  expect(said()).toContain(`(${path.join(root, 'node_modules', 'kysely', 'main.js')}:2:`);
  expect(said()).toMatch(/\[cause\]: Error: inner\n +at .*main\.ts:6:/);
  rmSync(`${file}.map`);
  expect(said()).toMatch(/Error: outer\n +at file:.*main\.js:\d+:\d+/);
});

test('what is bundled is bundled again when its sources, the bundler or the bundle itself changed', async () => {
  const sources = path.join(root, 'edge', 'src');
  const files = {
    main: path.join(sources, 'main.ts'),
    imported: path.join(sources, 'said.ts'),
    lock: path.join(root, 'package-lock.json'),
  };
  mkdirSync(sources, { recursive: true });
  writeFileSync(files.main, `import { said } from './said.ts';\nconsole.log(said);\n`);
  writeFileSync(files.imported, `export const said = 'one';\n`);
  const made = await bundle(root, 'edge');
  expect(areBundled(root, ['edge'])).toBe(true);
  const changes = {
    'a source that is imported': () => writeFileSync(files.imported, `export const said = 'two';\n`),
    'the bundle, cut off': () => writeFileSync(made, readFileSync(made).subarray(0, 9)),
    'the bundle, gone': () => rmSync(made),
    'what was noted of it': () => writeFileSync(`${made}.sources`, ''),
    'the versions of packages': () => writeFileSync(files.lock, '{}'),
  };
  for (const [what, change] of Object.entries(changes)) {
    change();
    expect(areBundled(root, ['edge']), what).toBe(false);
    await bundle(root, 'edge');
    expect(areBundled(root, ['edge']), what).toBe(true);
    expect(spawnSync(process.execPath, [made], { encoding: 'utf8' }).stdout, what).toBe('two\n');
  }
});

test('a package of many small files is part of the bundle, others are loaded from where npm has put them', async () => {
  for (const name of ['kysely', 'pino']) writePackage(name, `export const said = '${name} is here';\n`);
  const source = ['kysely', 'pino'].map((name, at) => `import { said as said${at} } from '${name}';`);
  writeFileSync(
    path.join(root, 'edge', 'src', 'main.ts'),
    `${source.join('\n')}\nconsole.log(said0, said1);\n`,
  );
  const made = await bundle(root, 'edge');
  const text = readFileSync(made, 'utf8');
  expect([text.includes('kysely is here'), text.includes('pino is here')]).toEqual([true, false]);
  expect(spawnSync(process.execPath, [made], { encoding: 'utf8' }).stdout).toBe(
    'kysely is here pino is here\n',
  );
  // Each start reads what is noted: the versions of packages stand for their files.
  expect(readFileSync(`${made}.sources`, 'utf8')).not.toContain('node_modules');
});

function writePackage(name: string, text: string): void {
  const folder = path.join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ main: 'main.js', type: 'module' }));
  writeFileSync(path.join(folder, 'main.js'), text);
}

test('a source that does not compile is said, and the bundle of before is not taken for it', async () => {
  writeFileSync(path.join(root, 'edge', 'src', 'main.ts'), 'const broken = ;\n');
  await expect(bundle(root, 'edge')).rejects.toThrow(/Unexpected ";"/);
  expect(areBundled(root, ['edge'])).toBe(false);
});
