import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentInstances } from '../../server/src/platform/database/embedded/instance.mjs';
import { canMount, fillDisk, mountDisk } from '../harness/disk.ts';
import { API_KEY, newDataDir, removeDataDir, serverFlags } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** A server whose log goes to a disk that is full, with its database on a small disk of its own. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const DISK_BYTES = 500 * 1024 * 1024;
const disk = newDataDir();
const dataDir = path.join(disk, 'data');
const ballast = path.join(disk, 'ballast');
const isMounted = canMount();
const full = openSync('/dev/full', 'w');
let child: ChildProcess;
let url: string;

beforeAll(async () => {
  mkdirSync(disk, { recursive: true });
  if (isMounted) mountDisk(disk, DISK_BYTES);
  const { PATH, HOME } = process.env;
  child = spawn(process.execPath, [...serverFlags(process.env), path.join(ROOT, 'scripts', 'start.mjs')], {
    env: { PATH, HOME, PORT: '0', VIRGA_EDGE: 'off', VIRGA_DATA_DIR: dataDir, VIRGA_API_KEY: API_KEY },
    stdio: ['ignore', full, full],
  });
  const served = () => currentInstances(dataDir).find(({ pid }) => pid === child.pid)?.url;
  url = await waitUntil(() => (child.exitCode === null ? served() : 'ended'), {
    what: 'the server to serve',
  });
  expect(url).toMatch(/^http/);
});

afterAll(async () => {
  if (child.exitCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
  if (isMounted) {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(`${disk}.disk`);
  }
  removeDataDir(disk);
  closeSync(full);
});

const text = async (target: string) => (await fetch(`${url}${target}`)).text();
const names = new Set<string>();
async function create(): Promise<{ readonly status: number; readonly body: object }> {
  const name = `project ${names.size}`;
  names.add(name);
  const response = await fetch(`${url}/cloud/v1/projects`, {
    method: 'POST',
    headers: { authorization: `APIKey ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('a server whose log cannot be written serves, and counts the lines that are lost', async () => {
  expect((await create()).status).toBe(201);
  const lost = await waitUntil(
    async () => Number(/^virga_log_lines_dropped_total (\d+)$/m.exec(await text('/metrics'))?.[1]),
    { what: 'a line that is lost' },
  );
  expect(lost).toBeGreaterThan(0);
});

test.skipIf(!isMounted)(
  `a full disk of the database is a 503 with the reason, and stands in readiness and metrics${isMounted ? '' : ': skipped, file systems cannot be mounted here'}`,
  async () => {
    expect(await text('/metrics')).toContain('\nvirga_database_disk_full 0\n');
    fillDisk(ballast);
    const refused = await waitUntil(
      async () => {
        const reply = await create();
        return reply.status === 201 ? undefined : reply;
      },
      { what: 'a refusal', intervalMs: 1 },
    );
    const message = expect.stringContaining('The disk of the database is full');
    expect(refused).toMatchObject({ status: 503, body: { message } });
    expect(await text('/readyz')).toContain('the disk of the database is full');
    expect(await text('/metrics')).toContain('\nvirga_database_disk_full 1\n');
    rmSync(ballast);
    await waitUntil(async () => (await create()).status === 201, { what: 'a project to be made' });
    await waitUntil(async () => (await text('/metrics')).includes('\nvirga_database_disk_full 0\n'), {
      what: 'the metric to say so',
    });
    expect(await text('/readyz')).not.toContain('full');
  },
);
