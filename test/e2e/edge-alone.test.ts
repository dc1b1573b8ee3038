import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FolderOrigin } from '../../edge/src/folder-origin.ts';
import { OLD_SECRET, SECRETS, signedPath } from '../../edge/src/testing/delivery-table.ts';
import { ACCOUNT, makeOrigin, type OriginFolder, PLAYLIST } from '../../edge/src/testing/origin-files.ts';
import { ask, listen } from '../../edge/src/testing/processes.ts';
import { waitUntil } from '../harness/wait.ts';

/** `npm run edge`, with the settings that its documentation names and no server. */

const SCRIPT = path.join(import.meta.dirname, '..', '..', 'scripts', 'edge.mjs');
let files: OriginFolder;
let folder: string;

beforeAll(() => {
  files = makeOrigin();
  folder = mkdtempSync(path.join(os.tmpdir(), 'virga-edge-alone-'));
});

afterAll(() => {
  files.remove();
  rmSync(folder, { recursive: true });
});

function launch(settings: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, VIRGA_DATA_DIR: folder, VIRGA_VIDEO_ACCOUNT_ID: ACCOUNT, ...settings };
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  }
  const end = async (signal?: NodeJS.Signals): Promise<number | null> => {
    if (signal) child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };
  return { output: () => text, end };
}

/** Starts it, asks it, and ends it as Ctrl-C would.
 *  @returns what it said */
async function during(
  settings: Readonly<Record<string, string>>,
  use: (port: number) => Promise<void>,
): Promise<string> {
  const edge = launch({ VIRGA_EDGE_PORT: '0', ...settings });
  try {
    const port = await waitUntil(() => /at http:\/\/127\.0\.0\.1:(\d+)/.exec(edge.output())?.[1], {
      what: 'the edge to serve',
    });
    await use(Number(port));
    expect(await edge.end('SIGINT')).toBe(0);
    return edge.output();
  } finally {
    await edge.end('SIGKILL');
  }
}

const statusOf = async (port: number, target: string) => (await ask(port, target)).status;

test('delivers from a folder, with the secrets that it is given', async () => {
  const settings = { VIRGA_VIDEO_SECRETS: OLD_SECRET, VIRGA_EDGE_ORIGIN: files.folder };
  const output = await during(settings, async (port) => {
    const { status, body } = await ask(port, signedPath('master.m3u8', { secret: OLD_SECRET }));
    expect([status, String(body)]).toEqual([200, PLAYLIST]);
    expect(await statusOf(port, signedPath('master.m3u8', { secret: 'another-secret' }))).toBe(403);
    expect(await statusOf(port, signedPath('master.m3u8', { secret: OLD_SECRET, expires: 1 }))).toBe(410);
  });
  expect(output).toMatch(new RegExp(`^The edge serves ${files.folder} at .* Stop it with Ctrl-C\\.\n$`));
  expect(output).not.toContain(OLD_SECRET);
});

test('delivers from an upstream, with the secrets that a server keeps in the data directory', async () => {
  writeFileSync(path.join(folder, 'video-secrets'), `${SECRETS.join('\n')}\n`);
  const origin = new FolderOrigin(files.folder);
  const upstream = await listen(
    http.createServer((request, response) => {
      void origin.serve((request.url ?? '').slice('/media/'.length), request, response);
    }),
  );
  try {
    const settings = { VIRGA_EDGE_ORIGIN: `http://127.0.0.1:${upstream.port}/media` };
    await during(settings, async (port) => {
      for (const secret of SECRETS) {
        expect(String((await ask(port, signedPath('master.m3u8', { secret }))).body)).toBe(PLAYLIST);
      }
    });
  } finally {
    await upstream.stop();
    rmSync(path.join(folder, 'video-secrets'));
  }
});

test('does not start, and says why in one line, without secrets or with a port that is in use', async () => {
  const bare = launch({ VIRGA_EDGE_ORIGIN: files.folder });
  expect(await bare.end()).toBe(1);
  expect(bare.output()).toBe('VIRGA_VIDEO_SECRETS must be set (no server has made one here yet)\n');
  const other = await listen(http.createServer());
  const clash = launch({ VIRGA_VIDEO_SECRETS: OLD_SECRET, VIRGA_EDGE_PORT: String(other.port) });
  expect(await clash.end()).toBe(1);
  expect(clash.output()).toBe(
    `The edge's port ${other.port} is held by another program: stop it, or set VIRGA_EDGE_PORT or VIRGA_EDGE=off.\n`,
  );
  await other.stop();
  const faulty = launch({
    VIRGA_VIDEO_SECRETS: 'short',
    VIRGA_EDGE_PORT: 'http',
    VIRGA_EDGE_ORIGIN: 'ftp://a',
  });
  expect(await faulty.end()).toBe(1);
  const names = faulty.output().match(/VIRGA_\w+/g);
  expect(names).toEqual(
    expect.arrayContaining(['VIRGA_VIDEO_SECRETS', 'VIRGA_EDGE_PORT', 'VIRGA_EDGE_ORIGIN']),
  );
  expect(faulty.output().trim()).not.toContain('\n');
});
