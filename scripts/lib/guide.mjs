// @ts-check
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compress, filesBelow, readStamp, removeAbandoned, STAMP, sourcesOf, swapIn } from './portal.mjs';

const SOURCES = [
  'docs',
  'guide/.vitepress/config.mjs',
  'guide/index.md',
  'guide/order.mjs',
  'guide/parts.data.mjs',
  'README.md',
  'CONTRIBUTING.md',
  'client/README.md',
  'package-lock.json',
];

/**
 * Builds the guide if its sources have changed since the last build.
 * @param {string} root
 * @returns {Promise<boolean>} whether it was built
 * @throws when a link leads nowhere; the builder has said which
 */
export async function buildGuide(root) {
  const folder = path.join(root, 'guide', 'dist');
  const stamp = sourcesOf(root, SOURCES);
  if (readStamp(folder) === stamp) return false;
  removeAbandoned(folder);
  // Into a folder of its own, swapped in at the end: a server may be serving the old one.
  const draft = `${folder}.${process.pid}`;
  const cache = `${draft}.cache`;
  Object.assign(process.env, { GUIDE_OUT: draft, GUIDE_CACHE: cache });
  try {
    const { build } = await import('vitepress');
    await build(path.join(root, 'guide'));
    for (const file of filesBelow(path.join(draft, 'assets'))) compress(file);
    writeFileSync(path.join(draft, STAMP), stamp);
    swapIn(draft, folder);
  } finally {
    for (const left of [draft, cache]) rmSync(left, { recursive: true, force: true });
  }
  return true;
}
