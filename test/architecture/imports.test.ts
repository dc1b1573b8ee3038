import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Who may import whom: kernel ← platform ← features ← the composition, and kernel, ports ← providers ← the
 *  composition. Features meet through index.ts alone, without circles. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const SOURCES = path.join(ROOT, 'server', 'src');

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Files of the server that are not tests, as paths below server/src. */
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .filter((file) => !/\/test-|\/testing\/|\.d\.m?ts$/.test(file));

test('addresses are reckoned with in one file', () => {
  const found = files.filter((file) =>
    readFileSync(path.join(SOURCES, file), 'utf8').includes("'ipaddr.js'"),
  );
  expect(found).toEqual(['kernel/ip.ts']);
});

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)|(?:^|\n)import '(\.[^']+)'/g;

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(path.join(SOURCES, from), 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    return { from, to: path.join(path.dirname(from), target) };
  });
});

/** What the server and the edge share, beside both. */
const SHARED = path.join('..', '..', 'signing', 'src');
/** Folders of the composition, beside its own files. */
const COMPOSITION = ['backup', 'edge', 'regions', 'seed', 'startup'];
const layer = (file: string) => {
  if (file.startsWith(SHARED)) return 'signing';
  const folder = file.includes('/') ? (file.split('/')[0] ?? '') : 'composition';
  return COMPOSITION.includes(folder) ? 'composition' : folder;
};
/** A feature, or a noun of the one that holds several. */
const part = (file: string) =>
  file
    .split('/')
    .slice(0, file.startsWith('features/networking/') ? 3 : 2)
    .join('/');

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  kernel: ['kernel', 'signing'],
  platform: ['kernel', 'platform'],
  engines: ['kernel', 'engines'],
  features: ['kernel', 'platform', 'features', 'signing'],
  providers: ['kernel', 'providers', 'features', 'signing'],
  // Words alone: what fields are called in the reference.
  glossary: ['glossary'],
  composition: [
    'kernel',
    'platform',
    'features',
    'providers',
    'engines',
    'glossary',
    'signing',
    'composition',
  ],
};

const show = (list: readonly Import[]) => list.map(({ from, to }) => `${from} → ${to}`);

test('there are imports to look at', () => {
  expect(imports.length).toBeGreaterThan(100);
});

test('every layer imports only what lies below it', () => {
  const wrong = imports.filter(({ from, to }) => !ALLOWED[layer(from)]?.includes(layer(to)));
  expect(show(wrong)).toEqual([]);
});

/** Plain modules, by which a server is found, started and stopped. */
const PLAIN = /\/server\/src\/(startup\/start-options|platform\/database\/embedded\/(instance|purge))\.mjs$/;

test.each([
  ['signing', /^$/],
  ['edge', /^$/],
  ['client', /^$/],
  ['cli', PLAIN],
])('%s imports nothing of the server but %s', (name, allowed) => {
  const folder = path.join(ROOT, name, 'src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.m?ts$/.test(file),
  );
  expect(sources.length).toBeGreaterThan(0);
  const wrong = sources.filter((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(IMPORT)].some((match) => {
      const target = match[1] ?? match[2] ?? match[3] ?? '';
      return /\/server\//.test(target) && !allowed.test(target);
    }),
  );
  expect(wrong).toEqual([]);
});

test('providers know features by their ports alone', () => {
  const wrong = imports.filter(
    ({ from, to }) => layer(from) === 'providers' && layer(to) === 'features' && !to.endsWith('/port.ts'),
  );
  expect(show(wrong)).toEqual([]);
});

const LOCAL = 'providers/local/';
/** Folders of a local region that engines share. */
const SHARED_BY_ENGINES = ['host', 'addresses', 'storages'];
/** The engine that a file of a local region is a part of. */
function engineOf(file: string): string | undefined {
  const [folder = '', ...rest] = file.startsWith(LOCAL) ? file.slice(LOCAL.length).split('/') : [];
  return rest.length > 0 && !SHARED_BY_ENGINES.includes(folder) ? folder : undefined;
}

test('engines of a local region know nothing of each other, and only its index knows them', () => {
  expect(new Set(files.flatMap((file) => engineOf(file) ?? []))).toEqual(
    new Set(['kubernetes', 'load-balancers', 'postgresql', 'object-storage', 'sftp-storage']),
  );
  const wrong = imports.filter(({ from, to }) => {
    const engine = engineOf(to);
    return engine !== undefined && engine !== engineOf(from) && from !== `${LOCAL}index.ts`;
  });
  expect(show(wrong)).toEqual([]);
});

test('every engine says in the same four files what it is', () => {
  const engines = [...new Set(files.flatMap((file) => engineOf(file) ?? []))];
  const expected = engines.flatMap((engine) =>
    ['next.ts', 'paths.ts', 'provider.ts', 'server.ts'].map((name) => `${LOCAL}${engine}/${name}`),
  );
  expect(expected.filter((file) => !files.includes(file))).toEqual([]);
  const impure = imports.filter(
    ({ from, to }) => from.startsWith(LOCAL) && from.endsWith('/next.ts') && to.startsWith(`${LOCAL}host/`),
  );
  expect(show(impure)).toEqual([]);
});

test('features meet through index.ts alone', () => {
  const across = imports.filter(
    ({ from, to }) => layer(from) === 'features' && layer(to) === 'features' && part(from) !== part(to),
  );
  expect(show(across.filter(({ to }) => !to.endsWith('/index.ts')))).toEqual([]);
});

test('the composition imports features and providers through index.ts and ports alone', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      layer(from) === 'composition' &&
      ['features', 'providers'].includes(layer(to)) &&
      !/\/(index|port)\.ts$/.test(to) &&
      !to.startsWith('providers/simulated/'),
  );
  expect(show(wrong)).toEqual([]);
});

test('features form no circle', () => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    if (layer(from) !== 'features' || layer(to) !== 'features' || part(from) === part(to)) continue;
    edges.set(part(from), (edges.get(part(from)) ?? new Set()).add(part(to)));
  }
  const reaches = (start: string, target: string, seen = new Set<string>()): boolean =>
    [...(edges.get(start) ?? [])].some(
      (next) => next === target || (!seen.has(next) && reaches(next, target, seen.add(next))),
    );
  expect([...edges.keys()].filter((feature) => reaches(feature, feature))).toEqual([]);
});

test('time and chance come from the kernel: nobody else asks the machine for them', () => {
  const wrong = files
    .filter((file) => layer(file) !== 'kernel')
    .filter((file) =>
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/.test(readFileSync(path.join(SOURCES, file), 'utf8')),
    );
  expect(wrong).toEqual([]);
});
