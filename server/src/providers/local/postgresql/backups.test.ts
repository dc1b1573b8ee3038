import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { Backups, restoreCommand } from './backups.ts';
import { pathsOf } from './paths.ts';
import type { Server } from './server.ts';

const NOW = new Date('2026-11-24T12:00:00Z');
const NEW = `base-${NOW.getTime()}`;
const LABEL = 'START WAL LOCATION: 0/2000028 (file 000000010000000000000002)';
const OLD = {
  taken_at: '2026-11-20T12:00:00.000Z',
  size_bytes: 1,
  startFile: '000000010000000000000001',
};
let root: string;
let backups: Backups;
let warnings: string[];
/** What happens while the data are copied. */
let meanwhile: () => void;

const folder = () => path.join(root, 'orders', 'backups');
/** Copies and their notes. */
const kept = () =>
  readdirSync(folder())
    .filter((name) => name !== 'wal')
    .sort();

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'virga-backups-'));
  chmodSync(root, 0o711);
  warnings = [];
  meanwhile = () => undefined;
  const { home, data } = pathsOf(root, 'orders');
  mkdirSync(path.join(data, 'global'), { recursive: true });
  mkdirSync(folder());
  for (const open of [home, data, path.join(data, 'global')]) chmodSync(open, 0o755);
  writeFileSync(path.join(data, 'global', 'pg_control'), '');
  backups = new Backups(home, {
    date: () => NOW,
    log: { warn: (_, message) => warnings.push(message) },
  });
});

afterEach(async () => {
  await backups.close();
  rmSync(root, { recursive: true });
});

/** Has it make a backup. */
async function backUp(): Promise<void> {
  const client = { query: async () => ({ rows: [{ label: LABEL }] }) };
  const primary = {
    paths: pathsOf(root, 'orders'),
    asking: (_: string, work: (given: typeof client) => unknown) => {
      meanwhile();
      return work(client);
    },
  };
  backups.reconcile({ every_hours: 24, keep: 2 }, primary as unknown as Server, '/nowhere');
  const isNew = () => backups.list().at(-1)?.taken_at === NOW.toISOString();
  await waitUntil(() => isNew() || warnings.length > 0, { what: 'the backup to end' });
}

test('what a killed process left of backups goes with the next one, and whole ones stay', async () => {
  for (const name of ['base-1', 'base-2', 'draft']) mkdirSync(path.join(folder(), name));
  for (const name of ['base-2', 'base-3'])
    writeFileSync(path.join(folder(), `${name}.json`), JSON.stringify(OLD));
  expect(backups.list()).toEqual([{ ...OLD, folder: path.join(folder(), 'base-2') }]);
  await backUp();
  expect(warnings).toEqual([]);
  expect(kept()).toEqual([NEW, `${NEW}.json`, 'base-2', 'base-2.json'].sort());
});

test('a backup that cannot be noted leaves no copy', async () => {
  // In the place of the note, which then cannot be written.
  meanwhile = () => mkdirSync(path.join(folder(), `${NEW}.json`));
  await backUp();
  expect(warnings).toEqual([expect.stringContaining('there is no new backup')]);
  expect(kept()).toEqual([`${NEW}.json`]);
});

test('a copy that fails does not keep the room that it took', async () => {
  meanwhile = () => {
    throw new Error('No space left on device');
  };
  await backUp();
  expect(warnings).toEqual(['there is no new backup: No space left on device']);
  expect(kept()).toEqual([]);
});

test('where the log of changes ends is nothing that a restored server complains about', () => {
  backups.makeFolder();
  writeFileSync(path.join(folder(), 'wal', '000000010000000000000001'), 'changes');
  const to = path.join(root, 'restored');
  const restore = (file: string) => {
    const command = restoreCommand(path.join(folder(), 'wal')).replaceAll('%f', file).replaceAll('%p', to);
    const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    return { status, stderr };
  };
  expect(restore('000000010000000000000002')).toEqual({ status: 1, stderr: '' });
  expect(restore('000000010000000000000001')).toEqual({ status: 0, stderr: '' });
  expect(readFileSync(to, 'utf8')).toBe('changes');
});
