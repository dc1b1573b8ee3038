import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newFolder } from '../../../../../../test/harness/leftovers.ts';
import { CHUNK_BYTES, parseLine, readAccessLog } from './read.ts';

const folder = newFolder('lb');
const log = path.join(folder, 'access.log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LISTENER = '5a2c2e1e-8a1c-4c1e-9d7e-111111111111';
const POOL = '5a2c2e1e-8a1c-4c1e-9d7e-222222222222';
const MEMBER = '5a2c2e1e-8a1c-4c1e-9d7e-333333333333';
const line = (path: string, status = 200) =>
  `2026-11-22T03:19:07+00:00 127.0.0.1:5 [22/Nov/2026:03:19:07.875] listener-${LISTENER}~ pool-${POOL}-http/member-${MEMBER} 0/0/1/2/3 ${status} 49 - - ---- 1/1/0/0/0 0/0 "GET ${path} HTTP/1.1"`;
const all = { limit: 100, statuses: null, text: null };

test('a line of a request says who asked for what, and what came of it', () => {
  expect(parseLine(line('/x', 404))).toMatchObject({
    at: '2026-11-22T03:19:07.000Z',
    client: '127.0.0.1:5',
    listener_id: LISTENER,
    pool_id: POOL,
    member_id: MEMBER,
    status: 404,
    bytes: 49,
    milliseconds: 3,
    request: 'GET /x HTTP/1.1',
  });
});

test('a line of a connection has no status, and one of another form has its text', () => {
  const tcp = `2026-11-22T03:19:07+00:00 127.0.0.1:5 [22/Nov/2026:03:19:07.875] listener-${LISTENER} pool-${POOL}-tcp/member-${MEMBER} 1/0/30 212 -- 1/1/0/0/0 0/0`;
  expect(parseLine(tcp)).toMatchObject({ status: null, request: null, milliseconds: 30, bytes: 212 });
  expect(parseLine('Proxy stopped')).toMatchObject({ at: null, status: null, text: 'Proxy stopped' });
});

test('the last lines are given, across chunks and files, and no more than are asked for', async () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `${line(`/${from + i}`)}\n`).join('');
  writeFileSync(`${log}.1`, lines(0, 500));
  writeFileSync(log, lines(500, 2_000));
  const read = await readAccessLog(log, { ...all, limit: 1_600 });
  expect(read?.lines).toHaveLength(1_600);
  expect(read?.lines.map(({ request }) => request)).toEqual(
    Array.from({ length: 1_600 }, (_, i) => `GET /${i + 400} HTTP/1.1`),
  );
  expect(await readAccessLog(log, { ...all, limit: 5_000 })).toMatchObject({ isAll: true });
});

test('lines are chosen by status, by its class, and by text; one that is being written is whole or not there', async () => {
  writeFileSync(`${log}.1`, '');
  writeFileSync(log, [line('/a'), line('/b', 404), line('/shop', 503), line('/Shop', 500)].join('\n'));
  const found = async (filter: object) => {
    const seen = await readAccessLog(log, { ...all, ...filter });
    return seen?.lines.map(({ request }) => request?.split(' ')[1]);
  };
  expect(await found({ statuses: '404' })).toEqual(['/b']);
  expect(await found({ statuses: '5xx' })).toEqual(['/shop', '/Shop']);
  expect(await found({ text: 'SHOP' })).toEqual(['/shop', '/Shop']);
  expect(await found({ statuses: '2xx', text: 'shop' })).toEqual([]);
});

test('a log that is not here is distinguished from one that is empty', async () => {
  expect(await readAccessLog(path.join(folder, 'none.log'), all)).toBeNull();
  writeFileSync(path.join(folder, 'empty.log'), '');
  expect(await readAccessLog(path.join(folder, 'empty.log'), all)).toEqual({ lines: [], isAll: true });
});

test('other work goes on while a long log is looked through for what is not in it', async () => {
  const long = path.join(folder, 'long.log');
  writeFileSync(long, `${line('/x')}\n`.repeat(12_000));
  let turns = 0;
  let isReading = true;
  const turn = () => {
    turns += 1;
    if (isReading) setImmediate(turn);
  };
  setImmediate(turn);
  const seen = await readAccessLog(long, { ...all, text: 'nowhere' });
  isReading = false;
  expect(seen).toEqual({ lines: [], isAll: false });
  // Between two turns no more than one part is read.
  expect(turns).toBeGreaterThanOrEqual((2 * 1024 * 1024) / CHUNK_BYTES);
  expect(CHUNK_BYTES).toBeLessThanOrEqual(64 * 1024);
});

test('a line that is longer than one part is whole', async () => {
  const wide = path.join(folder, 'wide.log');
  const word = 'x'.repeat(3 * CHUNK_BYTES);
  writeFileSync(wide, `first\n${word}\nlast\n`);
  const seen = await readAccessLog(wide, all);
  expect(seen?.lines.map(({ text }) => text)).toEqual(['first', word, 'last']);
});
