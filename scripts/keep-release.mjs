// @ts-check
// npm run keep-release: keeps the server as it is now as the last release, beside which its successor has to run while
// it upgrades the database (test/upgrade). To be run, and committed, with each release.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);

/**
 * @param {string} root of the sources
 * @param {string} folder where the release is kept
 */
export async function keepRelease(root, folder) {
  const { buildSync } = await import('esbuild');
  const { default: server } = await import(path.join(root, 'server', 'package.json'), {
    with: { type: 'json' },
  });
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: ['server/src/main.ts'],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  });
  writeFileSync(path.join(folder, 'server.js.br'), brotliCompressSync(outputFiles[0]?.contents ?? ''));
  const files = JSON.stringify(filesOf(path.join(root, 'server')));
  writeFileSync(path.join(folder, 'files.json.br'), brotliCompressSync(files));
  const release = { version: server.version };
  writeFileSync(path.join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
}

/**
 * What it makes and upgrades databases with: texts by their path.
 * @param {string} server
 */
function filesOf(server) {
  const migrations = readdirSync(path.join(server, 'migrations')).map((name) => `migrations/${name}`);
  const names = ['schema.sql', ...migrations.sort()];
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(server, name), 'utf8')]));
}

const [source = ROOT] = process.argv.slice(2);
await keepRelease(source, path.join(ROOT, 'test', 'upgrade', 'last-release'));
