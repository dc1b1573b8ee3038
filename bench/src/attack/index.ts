import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BODY_LIMIT, PUBLIC_BODY_LIMIT } from '../../../server/src/platform/http/bounds.ts';
import { type Attack, attacksOn, type Operation, operationsOf } from '../../../test/generated/attacks.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../../test/harness/process.ts';
import type { Figure } from '../measure.ts';
import { tokensOf } from '../server.ts';

/** The worst shapes of input to every operation, with a token and without, strictly judged and not: how long the event loop is blocked, how much is answered, and what
 *  stays in memory. All shapes of an operation are sent one after the other; where that blocked the loop for long,
 *  each of them is sent again, alone and several times, and the best time counts: other programs of the machine block
 *  the loop too, but not every time. */

const LIMITS = { blockMs: 50, answerBytes: 64 * 1024, keptBytes: 20 * 1024 * 1024 } as const;
const TRIES = 8;

interface Worst {
  value: number;
  by: string;
}

interface Target {
  readonly url: string;
  readonly meter: (question: 'delay' | 'memory') => Promise<number>;
  readonly tokens: { readonly client: string; readonly operator: string };
}

export async function benchAttack(): Promise<Figure[]> {
  const dataDir = newDataDir();
  const socket = path.join(dataDir, 'meter');
  const meterFile = pathToFileURL(path.join(import.meta.dirname, 'meter.mjs')).href;
  const virga = await startVirga({
    dataDir,
    env: {
      VIRGA_TIME_SCALE: '0',
      VIRGA_RATE_LIMIT: '0',
      VIRGA_TEST_METER: socket,
      NODE_OPTIONS: `--import ${meterFile}`,
    },
  });
  try {
    const tokens = tokensOf(dataDir);
    return await attackAll({ url: virga.url, meter: (question) => ask(socket, question), tokens }, virga);
  } finally {
    await virga.end('SIGTERM');
    removeDataDir(dataDir);
  }
}

async function attackAll(target: Target, virga: VirgaProcess): Promise<Figure[]> {
  const only = process.env.BENCH_OPERATIONS ?? '';
  const all = operationsOf((await virga.call('GET', '/openapi.json')).body);
  const operations = all.filter(({ name }) => name.includes(only));
  // What is compiled and cached once is not what an attack leaves behind.
  const first = await firstRequests(target, operations);
  const before = await target.meter('memory');
  const found: Found = { block: { value: 0, by: '' }, answer: { value: 0, by: '' }, failed: [], sent: 0 };
  for (const [i, operation] of operations.entries()) {
    if (i % 25 === 0)
      console.error(`attack: ${i} of ${operations.length} operations, ${found.sent} requests`);
    const shapes = attacksOn(operation, operation.open ? PUBLIC_BODY_LIMIT : BODY_LIMIT);
    for (const caller of CALLERS) {
      if (caller.withToken && operation.open) continue;
      await attackWith(target, operation, { shapes, caller }, found);
    }
  }
  const kept = Math.max(0, (await target.meter('memory')) - before);
  return [firstFigure(first), ...figures({ ...found, operations: operations.length, kept })];
}

interface SentBy {
  readonly withToken: boolean;
  /** Unknown names are refused as well. */
  readonly strict: boolean;
}

const CALLERS: readonly SentBy[] = [
  { withToken: true, strict: false },
  { withToken: true, strict: true },
  { withToken: false, strict: false },
  { withToken: false, strict: true },
];

/** What the first request to each operation blocks: what is made on first use, the checks of its schemas among it. */
async function firstRequests(target: Target, operations: readonly Operation[]): Promise<Worst> {
  const worst: Worst = { value: 0, by: '' };
  for (const operation of operations) {
    await target.meter('delay');
    await send(target, operation, { shape: '', path: operation.path, body: '{}' });
    note(worst, await target.meter('delay'), operation.name);
  }
  return worst;
}

const firstFigure = ({ value, by }: Worst): Figure => ({
  what: `longest block by the first request to an operation (${by})`,
  value: `${value.toFixed(1)} ms`,
  goal: `≤ ${LIMITS.blockMs} ms`,
  ...(value > LIMITS.blockMs ? { broken: `the first ${by} blocks for ${value.toFixed(0)} ms` } : {}),
});

interface Found {
  readonly block: Worst;
  readonly answer: Worst;
  readonly failed: string[];
  sent: number;
}

interface Wave {
  readonly shapes: readonly Attack[];
  readonly caller: SentBy;
}

async function attackWith(
  target: Target,
  operation: Operation,
  { shapes, caller }: Wave,
  found: Found,
): Promise<void> {
  const { withToken, strict } = caller;
  const how = `${withToken ? '' : ', without a token'}${strict ? ', strict' : ''}`;
  const nameOf = ({ shape }: Attack) => `${operation.name}, ${shape}${how}`;
  await target.meter('delay');
  for (const each of shapes) {
    const { status, bytes } = await send(target, operation, each, caller);
    found.sent += 1;
    if (status >= 400) note(found.answer, bytes, nameOf(each));
    if (status >= 500) found.failed.push(`${nameOf(each)}: ${status}`);
  }
  const together = await target.meter('delay');
  if (together <= LIMITS.blockMs) return note(found.block, together, `${operation.name}, all shapes${how}`);
  for (const each of shapes)
    note(found.block, await leastBlock(target, operation, each, caller), nameOf(each));
}

interface Measured {
  readonly sent: number;
  readonly operations: number;
  readonly block: Worst;
  readonly answer: Worst;
  readonly kept: number;
  readonly failed: readonly string[];
}

function figures({ sent, operations, block, answer, kept, failed }: Measured): Figure[] {
  const over = (isOver: boolean, what: string) => (isOver ? { broken: what } : {});
  const { blockMs, answerBytes, keptBytes } = LIMITS;
  return [
    {
      what: `longest block of the event loop, ${sent} requests to ${operations} operations (${block.by})`,
      value: `${block.value.toFixed(1)} ms`,
      goal: `≤ ${blockMs} ms`,
      ...over(block.value > blockMs, `${block.by} blocks for ${block.value.toFixed(0)} ms`),
    },
    {
      what: `largest refusal (${answer.by})`,
      value: `${(answer.value / 1024).toFixed(1)} KB`,
      goal: `≤ ${answerBytes / 1024} KB`,
      ...over(answer.value > answerBytes, `${answer.by} is answered with ${answer.value} bytes`),
    },
    {
      what: 'memory kept after all of them',
      value: `${(kept / 1024 / 1024).toFixed(1)} MB`,
      goal: `≤ ${keptBytes / 1024 / 1024} MB`,
      ...over(kept > keptBytes, `${Math.round(kept / 1024 / 1024)} MB are kept`),
    },
    {
      what: 'answers of 500 and more',
      value: String(failed.length),
      goal: '0',
      ...over(failed.length > 0, failed.slice(0, 10).join('; ')),
    },
  ];
}

function note(worst: Worst, value: number, by: string): void {
  if (value <= worst.value) return;
  worst.value = value;
  worst.by = by;
}

/** Milliseconds, the least of several tries. */
async function leastBlock(target: Target, operation: Operation, each: Attack, caller: SentBy) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && least > LIMITS.blockMs; i++) {
    await target.meter('delay');
    await send(target, operation, each, caller);
    least = Math.min(least, await target.meter('delay'));
  }
  return least;
}

const agent = new http.Agent({ keepAlive: true });

function send(
  { url, tokens }: Target,
  { method, operator }: Operation,
  { path: target, body }: Attack,
  { withToken, strict }: SentBy = { withToken: true, strict: false },
): Promise<{ status: number; bytes: number }> {
  const token = operator ? tokens.operator : tokens.client;
  const headers = {
    ...(withToken ? { authorization: `APIKey ${token}` } : {}),
    ...(strict ? { 'x-virga-strict': '1' } : {}),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${target}`, { method, agent, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
      response.on('error', reject);
    });
    // A body that is refused before it was read ends the connection.
    request.on('error', () => resolve({ status: 0, bytes: 0 }));
    request.end(body);
  });
}

function ask(socketPath: string, question: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get({ socketPath, path: `/${question}`, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(Number(text)));
      })
      .on('error', reject);
  });
}
