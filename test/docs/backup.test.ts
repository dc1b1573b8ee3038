import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, runScript } from '../harness/documents.ts';
import { API_KEY, newDataDir, removeDataDir, startVirga } from '../harness/process.ts';

/** What docs/operations.md says of backups of the folders, pasted as it stands. */

const home = newDataDir();
const dataDir = path.join(home, 'data of one');
const env = {
  HOME: home,
  PORT: '0',
  VIRGA_EDGE: 'off',
  VIRGA_API_KEY: API_KEY,
  VIRGA_DATA_DIR: dataDir,
};

afterAll(async () => {
  await runScript('npm stop --silent -- --purge', env);
  removeDataDir(home);
});

const pasted = async (heading: string) => {
  const blocks = blocksOf('docs/operations.md', 'sh', heading);
  expect(blocks.length).toBeGreaterThan(0);
  const ran = await runScript(['set -euo pipefail', ...blocks].join('\n'), env);
  expect(ran).toMatchObject({ code: 0, output: expect.stringContaining('VIRGA_URL=') });
  return /^VIRGA_URL=(.*)$/m.exec(ran.output)?.[1];
};
const projects = async (url: string | undefined) => {
  const reply = await fetch(`${url}/cloud/v1/projects`, { headers: { authorization: `APIKey ${API_KEY}` } });
  const { results } = JSON.parse(await reply.text());
  return results.map(({ name }: { name: string }) => name);
};

test('a copy of the folders is made and restored by pasting the recipe', async () => {
  const virga = await startVirga({ dataDir });
  expect((await virga.call('POST', '/cloud/v1/projects', { name: 'before' })).status).toBe(201);
  const saved = await pasted('Backup');
  expect(await projects(saved)).toContain('before');
  expect(await projects(await pasted('Restore'))).toContain('before');
});
