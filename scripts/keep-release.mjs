// @ts-check
// npm run keep-release: keeps the server as it is now as the last release, beside which its successor has to run while
// it upgrades the database (test/upgrade). To be run, and committed, with each release.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');

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
  const migrations = readdirSync(path.join(root, 'server', 'migrations')).filter((name) =>
    name.endsWith('.sql'),
  );
  writeFileSync(path.join(folder, 'server.js.br'), brotliCompressSync(outputFiles[0]?.contents ?? ''));
  const release = { version: server.version, migrations: migrations.sort() };
  writeFileSync(path.join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
}

const [source = ROOT] = process.argv.slice(2);
await keepRelease(source, path.join(ROOT, 'test', 'upgrade', 'last-release'));
