import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../edge/src/testing/processes.ts';
import { packCommand } from '../../scripts/lib/package.mjs';
import { ROOT } from '../../scripts/lib/root.mjs';
import { blocksOf, runScript } from '../harness/documents.ts';
import { newDataDir, processesWith, removeDataDir } from '../harness/process.ts';

/** The tour of README.md with the package, word for word but for ports that others may have. */

vi.setConfig({ testTimeout: 600_000 });

const folder = newDataDir();
afterAll(() => removeDataDir(folder));

test('the tour does what it says, and leaves nothing', async () => {
  const prefix = path.join(folder, 'prefix');
  const work = path.join(folder, 'work');
  for (const each of [prefix, work]) mkdirSync(each);
  await packCommand(ROOT, work);
  const [one, two] = [await freePort(), await freePort()];
  const tour = blocksOf('README.md', 'sh', 'A tour').join('\n');
  // What runs in the background would keep its outputs open.
  const script = `set -eu\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\ncd '${work}'\n${tour}`
    .replaceAll('9001', String(one))
    .replaceAll('9002', String(two));
  const ran = await runScript(script, {
    PATH: `${path.join(prefix, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    PORT: '0',
    VIRGA_EDGE: 'off',
    VIRGA_TIME_SCALE: '0.001',
    LOG_LEVEL: 'warn',
    npm_config_prefix: prefix,
    npm_config_prefer_offline: 'true',
    npm_config_cache: process.env.npm_config_cache ?? path.join(process.env.HOME ?? '', '.npm'),
  });
  expect(ran).toMatchObject({ code: 0 });
  for (const said of [`from ${one}\n`, `from ${two}\n`, 'state      ready\n', 'INSERT 1\n'])
    expect(ran.output + ran.errors).toContain(said);
  const degraded = new RegExp(`DEGRADED\\n(.*\\n)+?.*127\\.0\\.0\\.1:${one} {2}ERROR`, 'g');
  expect(ran.output.match(degraded)?.length).toBeGreaterThanOrEqual(2);
  expect([...ran.output.matchAll(/^v1\.36\.3$/gm)]).toHaveLength(2);
  expect(ran.output).toMatch(/"item": "a lamp"/);
  expect(processesWith(folder)).toEqual([]);
});
