import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildRelease, notesOf, prepareRelease } from './lib/release.mjs';
import { ROOT } from './lib/root.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'virga-release-'));
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const { version, workspaces } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly components?: readonly Component[];
}

/** With those that are within others. */
const componentsOf = ({ components = [] }: Pick<Component, 'components'>): readonly Component[] =>
  components.flatMap((each) => [each, ...componentsOf(each)]);

afterAll(() => rmSync(folder, { recursive: true }));

test('a new version is written wherever the version is', () => {
  const files = [
    'CHANGELOG.md',
    'package-lock.json',
    'server/src/version.ts',
    'packaging/helm/virga/Chart.yaml',
  ];
  const packages = ['package.json', ...workspaces.map((part: string) => `${part}/package.json`)];
  for (const file of [...files, ...packages]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    cpSync(path.join(ROOT, file), path.join(folder, file));
  }
  const unreleased = notesOf(read('CHANGELOG.md'), 'Unreleased');
  expect(unreleased).not.toBe('');
  expect(() => prepareRelease(folder, version, '2030-01-02')).toThrow(`does not come after ${version}`);
  expect(() => prepareRelease(folder, '9.9', '2030-01-02')).toThrow('A version is such as 1.2.3');

  const changed = prepareRelease(folder, '99.1.0', '2030-01-02');
  expect(changed.sort()).toEqual([...files, ...packages].sort());
  for (const file of packages) expect(JSON.parse(read(file)).version).toBe('99.1.0');
  const git = [
    'diff',
    '--no-index',
    '--stat',
    path.join(ROOT, 'package-lock.json'),
    path.join(folder, 'package-lock.json'),
  ];
  // One line for the lock itself, and one for each package.
  expect(() => execFileSync('git', git, { encoding: 'utf8' })).toThrow(
    expect.objectContaining({
      stdout: expect.stringContaining(
        `${workspaces.length + 2} insertions(+), ${workspaces.length + 2} deletions(-)`,
      ),
    }),
  );
  expect(read('server/src/version.ts')).toContain("VERSION = '99.1.0'");
  expect(read('packaging/helm/virga/Chart.yaml')).toMatch(/^version: 99\.1\.0\nappVersion: 99\.1\.0$/m);
  expect(notesOf(read('CHANGELOG.md'), '99.1.0')).toBe(unreleased);
  expect(read('CHANGELOG.md')).toContain('## [Unreleased]\n\n## [99.1.0] - 2030-01-02\n\n');
  expect(() => prepareRelease(folder, '99.2.0', '2030-01-02')).toThrow('Nothing is unreleased');
});

test('a release has the packages, what they bring, where they come from, and checksums', async () => {
  const made = path.join(folder, 'made');
  const names = await buildRelease(ROOT, made);
  expect(names).toEqual([
    'notes.md',
    'provenance.json',
    `virga-${version}.cdx.json`,
    `virga-${version}.tgz`,
    `virga-client-${version}.tgz`,
    'SHA256SUMS',
  ]);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: made });
  const bill = JSON.parse(read(`made/virga-${version}.cdx.json`));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'virga', version } } });
  const packed = execFileSync('tar', [
    '-xzOf',
    path.join(made, `virga-${version}.tgz`),
    'package/package.json',
  ]);
  const { dependencies } = JSON.parse(packed.toString());
  const listed = componentsOf(bill).map(
    ({ group, name, version: is }) => `${group ? `${group}/` : ''}${name}@${is}`,
  );
  for (const [name, range] of Object.entries(dependencies)) expect(listed).toContain(`${name}@${range}`);
  expect(listed.filter((name) => /^(vitest|typescript)@/.test(name))).toEqual([]);
  const head = execFileSync('git', ['-C', ROOT, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  expect(JSON.parse(read('made/provenance.json'))).toMatchObject({
    version,
    commit: head,
    node: process.version,
  });
});
