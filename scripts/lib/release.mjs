// @ts-check
// What a release is made of. docs/releasing.md says how it is made.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packClient } from './client.mjs';
import { packCommand } from './package.mjs';

const SERVER_VERSION = 'server/src/version.ts';
const CHART = 'packaging/helm/virga/Chart.yaml';
const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## [Unreleased]\n';

/**
 * Writes the version of a release into all files that name it, and closes its part of the changelog.
 * @param {string} root
 * @param {string} version
 * @param {string} date `2026-11-28`
 * @returns {string[]} the files that were changed, below the root
 * @throws when that is no version after the present one, or nothing was changed since
 */
export function prepareRelease(root, version, date) {
  const manifest = readJson(root, 'package.json');
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`A version is such as 1.2.3, not "${version}"`);
  if (!isLater(version, manifest.version))
    throw new Error(`Version ${version} does not come after ${manifest.version}`);
  const changelog = read(root, CHANGELOG);
  if (notesOf(changelog, 'Unreleased') === '') throw new Error('Nothing is unreleased in CHANGELOG.md');
  const packages = ['', ...manifest.workspaces].map((part) => path.join(part, 'package.json'));
  for (const file of packages) writeJson(root, file, { ...readJson(root, file), version });
  const lock = readJson(root, 'package-lock.json');
  lock.version = version;
  for (const part of ['', ...manifest.workspaces]) lock.packages[part].version = version;
  writeJson(root, 'package-lock.json', lock);
  replace(root, SERVER_VERSION, /VERSION = '[^']+'/, `VERSION = '${version}'`);
  replace(root, CHART, /^version: .*$/m, `version: ${version}`);
  replace(root, CHART, /^appVersion: .*$/m, `appVersion: ${version}`);
  replace(root, CHANGELOG, UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
  return [...packages, 'package-lock.json', SERVER_VERSION, CHART, CHANGELOG];
}

/**
 * Makes the files of a release: packages, what they are made of, where they come from, and their checksums.
 * @param {string} root a clone whose changes are committed
 * @param {string} folder where they go
 * @returns {Promise<string[]>} their names
 */
export async function buildRelease(root, folder) {
  mkdirSync(folder, { recursive: true });
  const { version } = readJson(root, 'package.json');
  packClient(root, folder);
  await packCommand(root, folder);
  listMaterials(root, path.join(folder, `virga-${version}.cdx.json`));
  write(folder, 'provenance.json', provenance(root, version));
  const changelog = read(root, CHANGELOG);
  write(folder, 'notes.md', `${notesOf(changelog, version) || notesOf(changelog, 'Unreleased')}\n`);
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  const sums = names.sort().map((name) => `${sha256(path.join(folder, name))}  ${name}\n`);
  write(folder, 'SHA256SUMS', sums.join(''));
  return [...names, 'SHA256SUMS'];
}

/**
 * Notes what the packages bring, in the format CycloneDX.
 * @param {string} root
 * @param {string} file
 */
function listMaterials(root, file) {
  const program = path.join(
    root,
    'node_modules',
    '@cyclonedx',
    'cyclonedx-npm',
    'bin',
    'cyclonedx-npm-cli.js',
  );
  const words = ['--package-lock-only', '--omit', 'dev', '--ignore-npm-errors', '--output-reproducible'];
  execFileSync(process.execPath, [program, ...words, '--output-file', file], { cwd: root, stdio: 'pipe' });
}

/**
 * What somebody needs to make the same files again.
 * @param {string} root
 * @param {string} version
 */
function provenance(root, version) {
  const git = (/** @type {string[]} */ ...words) =>
    execFileSync('git', ['-C', root, ...words], { encoding: 'utf8' }).trim();
  const facts = {
    version,
    commit: git('rev-parse', 'HEAD'),
    committed_at: git('log', '-1', '--format=%cI'),
    has_other_changes: git('status', '--porcelain') !== '',
    package_lock_sha256: sha256(path.join(root, 'package-lock.json')),
    node: process.version,
    npm: execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim(),
    platform: `${process.platform}-${process.arch}`,
    command: 'node scripts/release.mjs build',
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

/**
 * @param {string} changelog
 * @param {string} title of the part
 * @returns {string} its lines; empty when there are none
 */
export function notesOf(changelog, title) {
  const parts = changelog.split(/^## /m);
  const part = parts.find((each) => each.startsWith(`[${title}]`));
  return part === undefined ? '' : part.slice(part.indexOf('\n')).trim();
}

/**
 * @param {string} version
 * @param {string} other
 */
function isLater(version, other) {
  const [a, b] = [version, other].map((each) => each.split('.').map(Number));
  const at = [0, 1, 2].find((index) => a?.[index] !== b?.[index]);
  return at !== undefined && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}

/** @param {string} file */
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * @param {string} root
 * @param {string} file
 */
const read = (root, file) => readFileSync(path.join(root, file), 'utf8');

/**
 * @param {string} root
 * @param {string} file
 */
const readJson = (root, file) => JSON.parse(read(root, file));

/**
 * @param {string} root
 * @param {string} file
 * @param {string} text
 */
const write = (root, file, text) => writeFileSync(path.join(root, file), text);

/**
 * @param {string} root
 * @param {string} file
 * @param {unknown} value
 */
const writeJson = (root, file, value) => write(root, file, `${JSON.stringify(value, null, 2)}\n`);

/**
 * @param {string} root
 * @param {string} file
 * @param {string | RegExp} pattern
 * @param {string} text
 */
function replace(root, file, pattern, text) {
  const before = read(root, file);
  const after = before.replace(pattern, () => text);
  if (after === before) throw new Error(`${file} does not name the version as it should`);
  write(root, file, after);
}
