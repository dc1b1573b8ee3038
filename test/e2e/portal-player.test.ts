import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../edge/src/testing/processes.ts';
import { writeSilentStream } from '../harness/silent-stream.ts';
import { waitUntil } from '../harness/wait.ts';
import { Portal } from './portal/harness.ts';

/** The portal's own player, a real stream, and the edge of the program: it plays on past the end of its addresses. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const LIFETIME = 4;
const portal = new Portal();
/** When the addresses of what the edge delivered end, and what it answered. */
const delivered: { readonly expires: string; readonly status: number }[] = [];

beforeAll(async () => {
  await portal.start({ VIRGA_EDGE: 'on', VIRGA_EDGE_PORT: String(await freePort()) });
  const stream = portal.kept('video', 'videos', '1_silence');
  writeSilentStream(stream, 40);
  for (const folder of [stream, portal.kept('video'), portal.kept('video', 'videos')])
    chmodSync(folder, 0o755);
  await portal.signIn();
  portal.page.on('response', (response) => {
    const [, , , , expires = ''] = new URL(response.url()).pathname.split('/');
    if (/\/videos\/1_silence\/.*\.aac$/.test(response.url()))
      delivered.push({ expires, status: response.status() });
  });
});
afterAll(() => portal.stop());

const time = () => portal.page.evaluate<number>('document.querySelector("video").currentTime');

test('a film plays on past three ends of its address, each renewed before', async () => {
  const { page } = portal;
  await portal.go(1, `video?video=silence&type=vod&expire=${LIFETIME}`);
  await page.getByLabel('The video').waitFor();
  // A promise of playing is not kept by a film whose source comes later.
  const state = () => page.evaluate<number>('document.querySelector("video").readyState');
  await waitUntil(async () => (await state()) >= 2, { what: 'the beginning of the film' });
  await page.evaluate('void document.querySelector("video").play()');
  const duration = 3 * LIFETIME + 2;
  await waitUntil(async () => (await time()) >= duration, { what: `${duration} s of the film` });
  await page.getByText(/The address was renewed \d+ times, and the player went on/).waitFor();
  expect(await portal.barriers()).toEqual([]);
});

test('the edge refused nothing, and delivered by several addresses', async () => {
  // What is in the buffer needs no address: a player may ask far ahead.
  const { page } = portal;
  await waitUntil(async () => (await time()) >= 30, { what: 'most of the film' });
  expect(delivered.filter(({ status }) => status !== 200)).toEqual([]);
  expect(delivered.length).toBeGreaterThanOrEqual(30);
  await page.getByText(/renewed (?:[5-9]|\d\d+) times/).waitFor();
});

test('the browser had nothing to complain about', () => {
  expect(portal.complaints).toEqual([]);
});
