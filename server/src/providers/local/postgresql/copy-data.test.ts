import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeOwnFolder } from '../host/files.ts';
import { findProgram } from '../host/programs.ts';
import { copyData } from './copy-data.ts';
import type { Server } from './server.ts';

const LABEL = 'START WAL LOCATION: 0/2000028 (file 000000010000000000000002)';
let folder: string;
let draft: string;

/** Copies the data of a server that has some files. */
function copy() {
  const client = { query: async () => ({ rows: [{ label: LABEL }] }) };
  const server = {
    paths: { data: path.join(folder, 'data'), home: folder },
    asking: (_: string, work: (given: typeof client) => unknown) => work(client),
  };
  return copyData(server as unknown as Server, draft, '/nowhere', new AbortController().signal);
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'virga-copy-'));
  draft = path.join(folder, 'draft');
  for (const name of ['', 'data', 'data/global', 'bin']) {
    mkdirSync(path.join(folder, name), { recursive: true });
    chmodSync(path.join(folder, name), 0o755);
  }
  for (const name of ['data/global/pg_control', 'data/relation'])
    writeFileSync(path.join(folder, name), name);
  makeOwnFolder(draft, folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test('a copy has the files of the server', async () => {
  expect(await copy()).toMatchObject({ startFile: '000000010000000000000002' });
  expect(readFileSync(path.join(draft, 'relation'), 'utf8')).toBe('data/relation');
});

test('a copy of which a file could not be written is none, and says why', async () => {
  const tar = findProgram('tar');
  const full = `echo 'tar: relation: Cannot write: No space left on device' >&2`;
  const script = `case "$*" in *-xf*) ${tar} "$@"; rm "$2/relation"; ${full}; exit 2;; esac\nexec ${tar} "$@"\n`;
  writeFileSync(path.join(folder, 'bin', 'tar'), `#!/bin/sh\n${script}`, { mode: 0o755 });
  vi.stubEnv('PATH', `${path.join(folder, 'bin')}:${process.env.PATH}`);
  await expect(copy()).rejects.toThrow('No space left on device');
});
