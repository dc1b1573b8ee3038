import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../edge/src/testing/processes.ts';
import { ROOT } from '../../scripts/lib/root.mjs';
import { blocksOf, runScript } from '../harness/documents.ts';
import { newDataDir, processesWith, removeDataDir } from '../harness/process.ts';

/** The tour of README.md, word for word but for ports that others may have. */

const folder = newDataDir();
afterAll(() => removeDataDir(folder));

test('the tour does what it says, and leaves nothing', async () => {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(path.join(ROOT, 'cli', 'bin', 'virga.mjs'), path.join(bin, 'virga'));
  const [one, two] = [await freePort(), await freePort()];
  const tour = blocksOf('README.md', 'sh', 'A tour in five minutes').join('\n');
  const script = `set -eu\n${tour}`.replaceAll('9001', String(one)).replaceAll('9002', String(two));
  const dataDir = path.join(folder, 'data');
  const ran = await runScript(script, {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    VIRGA_DATA_DIR: dataDir,
    PORT: '0',
    VIRGA_EDGE: 'off',
    LOG_LEVEL: 'warn',
  });
  expect(ran).toMatchObject({ code: 0 });
  for (const said of [`from ${one}\n`, `from ${two}\n`, 'state      ready\n', 'postgresql://clerk@'])
    expect(ran.output).toContain(said);
  expect(ran.output).toMatch(new RegExp(`DEGRADED\\n(.*\\n)+.*127\\.0\\.0\\.1:${one} {2}ERROR`));
  expect(processesWith(folder)).toEqual([]);
});
