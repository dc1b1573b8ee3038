import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  createWriteStream,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { findLocation, startEmbeddedPostgres } from '../../server/src/platform/database/embedded/index.ts';
import { VERSION } from '../../server/src/version.ts';
import { newFolder } from '../harness/leftovers.ts';
import {
  outputOf,
  processesWith,
  removeDataDir,
  runVirga,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { s3ClientOf } from '../harness/s3.ts';
import { lookFor } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** `virga backup` of a cloud that runs and works, and `virga restore`. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const ROOT = path.join(import.meta.dirname, '..', '..');
const VIRGA = path.join(ROOT, 'cli', 'bin', 'virga.mjs');
const PORT = 8092;

const folder = newFolder('e2e');
const dataDir = path.join(folder, 'data');
const file = path.join(folder, 'cloud.backup');
const member = createServer((_, response) => response.end('from the member\n'));
const s3Fault = (await lookFor(['s3'])).faultOf('s3');
const hasS3 = s3Fault === undefined;

/** Written all the time: what they were at the moment of the backup cannot be known afterwards. */
const ALWAYS_WRITTEN = ['nodes', 'region_owners', 'request_counts'];

let virga: VirgaProcess;
let before: Tables;
let after: Tables;
let vip: string;
let database: { readonly url: string; readonly password: string };
let storage: { readonly address: string; readonly access_keys: { access_key: string; secret_key: string }[] };
let written = 0;
let acknowledgedBefore = 0;

type Tables = Readonly<Record<string, string>>;

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [VIRGA, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, VIRGA_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const ended = once(child, 'close').then(([code]) => ({ code, output: output() }));
  return { child, ended };
}

async function json(...args: string[]) {
  const here = { VIRGA_URL: virga.url, VIRGA_TOKEN: 'test-administrator-key' };
  const { code, output } = await run([...args, '--quiet', '-o', 'json'], here).ended;
  expect({ code, output }).toMatchObject({ code: 0 });
  return JSON.parse(output);
}

/** Every table of the control plane, as one digest each. */
async function tablesOf(connection: pg.ClientConfig): Promise<Tables> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of rows) {
      const text = `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${name} t`;
      digests[name] = (await client.query(text)).rows[0].digest;
    }
    return digests;
  } finally {
    await client.end();
  }
}

const ofDataDir = () => {
  const { socketDir, passwordFile } = findLocation(dataDir);
  return {
    host: socketDir,
    port: 5432,
    user: 'virga',
    database: 'virga',
    password: readFileSync(passwordFile, 'utf8').trim(),
  };
};

async function query(text: string) {
  const url = new URL(database.url);
  const client = new pg.Client({
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: database.password,
    database: url.pathname.slice(1),
    ssl: { rejectUnauthorized: false },
  });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** One row after the other, each acknowledged. */
async function writeUntil(done: () => boolean): Promise<void> {
  while (!done()) {
    await query(`insert into entries values (${written + 1})`);
    written += 1;
  }
}

const s3 = () => s3ClientOf(storage.address, storage.access_keys[0] ?? { access_key: '', secret_key: '' });

beforeAll(async () => {
  member.listen(0, '127.0.0.1');
  await once(member, 'listening');
  const { port } = member.address() as AddressInfo;
  virga = await startVirga({ dataDir });
  const lb = json('lb', 'create', 'web', '--listen', `http:${PORT}`, '--member', `127.0.0.1:${port}`);
  const cluster = json('pg', 'create', 'shop', '--database', 'orders', '--user', 'clerk');
  const made = hasS3 ? json('storage', 'create', 'media', '--location-name', 'local') : undefined;
  vip = (await lb).vip_address;
  const { network } = await cluster;
  const { password } = await json('pg', 'show-password', 'shop', 'clerk');
  database = { url: network.connection_string, password };
  await query('create table entries (number int primary key)');
  if (made) {
    storage = await made;
    await s3().send(new CreateBucketCommand({ Bucket: 'photos' }));
    const about = { ContentType: 'image/jpeg', Metadata: { taken: 'today' } };
    await s3().send(new PutObjectCommand({ Bucket: 'photos', Key: 'a/cat.jpg', Body: 'cat', ...about }));
  }
});

afterAll(async () => {
  member.close();
  await run(['down', '--purge']).ended;
  removeDataDir(folder);
});

test('a cloud that runs is written into one file, which only its owner can read', async () => {
  await writeUntil(() => written === 20);
  before = await tablesOf(ofDataDir());
  acknowledgedBefore = written;
  const { ended } = run(['backup', file]);
  let isDone = false;
  void ended.then(() => {
    isDone = true;
  });
  await writeUntil(() => isDone);
  expect(await ended).toEqual({
    code: 0,
    output: `${dataDir} is in ${file}. Keep it secret: it holds keys and passwords.\n`,
  });
  after = await tablesOf(ofDataDir());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(written).toBeGreaterThan(acknowledgedBefore);
  expect(await run(['backup', file]).ended).toMatchObject({
    code: 2,
    output: `${file} exists: name another file, or remove it\n`,
  });
  const inside = path.join(dataDir, 'cloud.backup');
  expect(await run(['backup', inside]).ended).toMatchObject({
    code: 2,
    output: `${inside} is in ${dataDir}: name a file elsewhere\n`,
  });
});

describe('what cannot be restored is refused, and nothing is made', () => {
  const target = path.join(folder, 'target');
  const refused = async (what: string) => {
    const answer = await run(['restore', what, '--data-dir', target]).ended;
    expect(answer.code).toBe(2);
    expect(existsSync(target)).toBe(false);
    return answer.output;
  };
  const copy = (name: string) => {
    const made = path.join(folder, name);
    copyFileSync(file, made);
    return made;
  };

  test('a file that is not complete', async () => {
    const short = copy('short');
    truncateSync(short, statSync(short).size - 1000);
    expect(await refused(short)).toBe(`${short} is no backup, or is not complete\n`);
  });

  test('a file with another byte in it', async () => {
    const damaged = copy('damaged');
    const fd = openSync(damaged, 'r+');
    writeSync(fd, Buffer.from([1, 2, 3]), 0, 3, Math.floor(statSync(damaged).size / 2));
    expect(await refused(damaged)).toMatch(`${damaged} is damaged, and nothing was restored: `);
  });

  test('one of a newer version', async () => {
    const newer = path.join(folder, 'newer');
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from(JSON.stringify({ format: 1, version: '99.0.0', parts: [] })), 'manifest.json');
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(newer));
    expect(await refused(newer)).toBe(
      `${newer} was made by version 99.0.0, and this is ${VERSION}: restore it with 99.0.0 or a later one\n`,
    );
  });

  test('a folder that is not empty', async () => {
    const answer = await run(['restore', file]).ended;
    expect(answer).toMatchObject({
      code: 2,
      output: expect.stringMatching(`^${dataDir} is not empty: restore`),
    });
  });
});

test('a restore that is killed leaves nothing that starts', async () => {
  const target = path.join(folder, 'killed');
  const { child, ended } = run(['restore', file, '--data-dir', target]);
  await waitUntil(() => existsSync(path.join(target, 'postgres', 'data')), { what: 'the restore to begin' });
  child.kill('SIGKILL');
  await ended;
  expect((await runVirga({ dataDir: target })).output).toMatch(
    `A backup was being restored into ${target}, and that did not end: forget it with npm stop -- --purge, and restore again`,
  );
  expect(await run(['down', '--purge'], { VIRGA_DATA_DIR: target }).ended).toMatchObject({ code: 0 });
  expect(existsSync(target)).toBe(false);
});

test('everything is there again on a machine that has nothing of it', async () => {
  expect(await run(['down', '--purge']).ended).toMatchObject({ code: 0 });
  expect(processesWith(dataDir)).toEqual([]);
  expect((await run(['restore', file]).ended).code).toBe(0);

  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  const restored = await tablesOf({ ...postgres.admin });
  await postgres.stop();
  expect(Object.keys(restored)).toEqual(Object.keys(before));
  const differing = Object.keys(before).filter(
    (name) => restored[name] !== before[name] && restored[name] !== after[name],
  );
  expect(differing.filter((name) => !ALWAYS_WRITTEN.includes(name))).toEqual([]);

  virga = await startVirga({ dataDir });
  const answer = await waitUntil(async () => (await fetch(`http://${vip}:${PORT}/`)).text(), {
    what: 'the load balancer to answer',
  });
  expect(answer).toBe('from the member\n');
  const rows = await waitUntil(() => query('select number from entries order by 1'), {
    what: 'the database',
  });
  // What was acknowledged before the backup began is there, and nothing that came after a row that is not.
  expect(rows.length).toBeGreaterThanOrEqual(acknowledgedBefore);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  await query(`insert into entries values (${rows.length + 1})`);
  if (!hasS3) return;
  const object = await waitUntil(
    () => s3().send(new GetObjectCommand({ Bucket: 'photos', Key: 'a/cat.jpg' })),
    { what: 'the object' },
  );
  expect(await object.Body?.transformToString()).toBe('cat');
  expect(object).toMatchObject({ ContentType: 'image/jpeg', Metadata: { taken: 'today' } });
});
