import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen, type Running } from './testing/processes.ts';
import { UsageCounter } from './usage.ts';
import { UsageJournal } from './usage-journal.ts';
import { type UsageReport, UsageReporter } from './usage-report.ts';

let intake: Running;
/** Statuses of the next answers; 200 when there are none left. */
let answers: number[] = [];
let received: { report: UsageReport; authorization: string | undefined; status: number }[] = [];

beforeAll(async () => {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = answers.shift() ?? 200;
      const report = JSON.parse(Buffer.concat(chunks).toString()) as UsageReport;
      received.push({ report, authorization: request.headers.authorization, status });
      response.writeHead(status).end('{}');
    });
  });
  intake = await listen(server);
});

afterAll(() => intake.stop());

const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

let usage: UsageCounter;
let reporter: UsageReporter;
let seconds: number;
const said: string[] = [];

beforeEach(() => {
  usage = new UsageCounter();
  seconds = 0;
  answers = [];
  received = [];
  said.length = 0;
  reporter = newReporter(usage);
});

function newReporter(of: UsageCounter, journal?: UsageJournal): UsageReporter {
  return new UsageReporter({
    url: `http://127.0.0.1:${intake.port}/reports`,
    token: 'operator',
    usage: of,
    ...(journal ? { journal } : {}),
    now: () => new Date(1_743_167_062_000 + seconds * 1000),
    log: (message) => said.push(message),
  });
}

afterEach(() => reporter.stop());

test('a report says what was delivered between two moments, video by video', async () => {
  usage.add('1_film', 100);
  usage.add('1_film', 50);
  usage.add('1_match', 0);
  seconds = 10;
  await reporter.flush();
  expect(received).toHaveLength(1);
  expect(received[0]?.authorization).toBe('APIKey operator');
  expect(received[0]?.report).toMatchObject({
    from: '2025-03-28T13:04:22.000Z',
    to: '2025-03-28T13:04:32.000Z',
    videos: [
      { video: '1_film', requests: 2, bytes: 150 },
      { video: '1_match', requests: 1, bytes: 0 },
    ],
  });
});

test('nothing delivered is nothing to report', async () => {
  await reporter.flush();
  expect(received).toHaveLength(0);
});

test('a report that was not acknowledged is sent again with its id, before later ones; none is lost', async () => {
  answers = [503, 429, 200, 200];
  usage.add('1_film', 1);
  await reporter.flush();
  usage.add('1_film', 10);
  await reporter.flush();
  usage.add('1_film', 100);
  await reporter.flush();
  const ids = received.map(({ report }) => report.id);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).toBe(ids[0]);
  const accepted = received.filter(({ status }) => status === 200);
  expect(new Set(accepted.map(({ report }) => report.id)).size).toBe(3);
  expect(accepted.map(({ report }) => report.videos[0]?.bytes)).toEqual([1, 10, 100]);
  expect(said).toHaveLength(2);
});

test('a report that is refused for good does not hold up later ones', async () => {
  answers = [400];
  usage.add('1_film', 1);
  await reporter.flush();
  usage.add('1_film', 10);
  await reporter.flush();
  expect(received.map(({ report }) => report.videos[0]?.bytes)).toEqual([1, 10]);
  expect(said).toEqual(['a usage report was refused and is given up']);
});

test('many videos are several reports', async () => {
  for (let i = 0; i < 10_001; i++) usage.add(`1_${i}`, 1);
  await reporter.flush();
  expect(received.map(({ report }) => report.videos.length)).toEqual([10_000, 1]);
});

test('a stop sends what is left', async () => {
  reporter.start();
  usage.add('1_film', 7);
  await reporter.stop();
  expect(received.map(({ report }) => report.videos)).toEqual([[{ video: '1_film', requests: 1, bytes: 7 }]]);
});

describe('after a crash', () => {
  const file = path.join(folder, 'journal');
  const lives: UsageReporter[] = [];

  beforeEach(() => rmSync(file, { force: true }));
  afterEach(async () => {
    await Promise.all(lives.splice(0).map((life) => life.stop()));
  });

  /** A process; it crashes when nothing is done with it any longer. */
  function life() {
    const counter = new UsageCounter();
    const one = newReporter(counter, new UsageJournal(file));
    lives.push(one);
    one.start();
    return { counter, one };
  }

  test('the next process reports what was counted, with the time since when, and both together once', async () => {
    const first = life();
    first.counter.add('1_film', 100);
    first.one.keep();
    first.counter.add('1_film', 50);
    first.counter.add('1_match', 7);
    first.one.keep();
    seconds = 30;
    const second = life();
    await second.one.flush();
    expect(received.map(({ report }) => report)).toMatchObject([
      {
        from: '2025-03-28T13:04:22.000Z',
        to: '2025-03-28T13:04:52.000Z',
        videos: [
          { video: '1_film', requests: 2, bytes: 150 },
          { video: '1_match', requests: 1, bytes: 7 },
        ],
      },
    ]);
    const third = life();
    await third.one.flush();
    expect(received).toHaveLength(1);
  });

  test('a report that was not acknowledged keeps its id, and what came meanwhile is not lost', async () => {
    answers = [503];
    const first = life();
    first.counter.add('1_film', 1);
    await first.one.flush();
    first.counter.add('1_film', 10);
    first.one.keep();
    const second = life();
    await second.one.flush();
    const [refused, again, ...later] = received.map(({ report }) => report);
    expect(again).toEqual(refused);
    expect(later.flatMap(({ videos }) => videos)).toEqual([{ video: '1_film', requests: 1, bytes: 10 }]);
  });

  test('a line that the crash cut off is left out', async () => {
    const first = life();
    first.counter.add('1_film', 1);
    first.one.keep();
    appendFileSync(file, '{"counted":[{"video":"1_fi');
    await life().one.flush();
    expect(received.flatMap(({ report }) => report.videos)).toEqual([
      { video: '1_film', requests: 1, bytes: 1 },
    ]);
    expect(said).toEqual([]);
  });
});
