import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Counter } from './counter.ts';
import { Folder } from './folder.ts';
import { Session } from './session.ts';

/** What a session may have open, by what the library would say to it. */

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;
const MOST = 200;

class Client extends EventEmitter {
  readonly handles: Buffer[] = [];
  readonly names: string[] = [];
  readonly statuses: { readonly code: number; readonly words: string | undefined }[] = [];
  #answered = () => {};

  /** Asks, and waits for the answer. */
  async ask(what: string, ...words: readonly unknown[]): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#answered = resolve;
    });
    this.emit(what, 1, ...words);
    await answered;
  }

  handle(_id: number, handle: Buffer): void {
    this.handles.push(handle);
    this.#answered();
  }

  status(_id: number, code: number, words?: string): void {
    this.statuses.push({ code, words });
    this.#answered();
  }

  name(_id: number, entries: readonly { readonly filename: string }[]): void {
    this.names.push(...entries.map(({ filename }) => filename));
    this.#answered();
  }
}

let root: string;
let client: Client;
let session: Session;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'virga-sftp-session-'));
  client = new Client();
  const counter = { request: () => undefined } as unknown as Counter;
  session = new Session(client as unknown as SFTPWrapper, new Folder(root), counter);
});

afterEach(async () => {
  await session.close();
  rmSync(root, { recursive: true });
});

/** How much this process has open. */
const openHere = () => readdirSync('/proc/self/fd', { withFileTypes: true }).length;

test('files and folders together have a bound, and what is refused is not left open', async () => {
  writeFileSync(path.join(root, 'file'), '');
  for (let i = 0; i < MOST; i += 1) await client.ask('OPENDIR', '/');
  expect(client.handles.length).toBe(MOST);
  const before = openHere();
  for (let i = 0; i < 20; i += 1) await client.ask('OPEN', '/file', OPEN_MODE.READ, {});
  expect(openHere()).toBeLessThanOrEqual(before);
  expect(new Set(client.statuses.map(({ words }) => words))).toEqual(
    new Set(['Too many files are open in this session']),
  );
  await client.ask('CLOSE', client.handles[0]);
  await client.ask('OPEN', '/file', OPEN_MODE.READ, {});
  expect(client.handles.length).toBe(MOST + 1);
});

test('a large folder comes in parts, each name once', async () => {
  const names = Array.from({ length: 1050 }, (_, i) => `file-${i}`);
  for (const name of names) writeFileSync(path.join(root, name), '');
  await client.ask('OPENDIR', '/');
  let parts = 0;
  for (; client.statuses.at(-1)?.code !== STATUS_CODE.EOF; parts += 1)
    await client.ask('READDIR', client.handles[0]);
  expect(parts).toBe(12);
  expect(client.names.sort()).toEqual(names.sort());
});
