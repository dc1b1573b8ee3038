import { setTimeout as delay } from 'node:timers/promises';
import { type Fixture, startFixture } from './lossless/fixture.ts';
import { Load, quantile, type Seen, together } from './lossless/load.ts';
import { OPERATIONS, type Operation } from './lossless/operations.ts';
import type { Figure } from './measure.ts';

/** Seconds under changes for each operation; as long again in all without any. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const TURNS = 4;
/** Changes come one after the other with this between them. */
const PAUSE_MS = 100;

/** Requests through a load balancer while it is being changed, operation by operation, beside the same load in the
 *  same seconds without changes. */
export async function benchLossless(): Promise<Figure[]> {
  if (!(SECONDS >= 1)) throw new Error('BENCH_SECONDS must be a number of seconds');
  const fixture = await startFixture();
  try {
    await loadFor(fixture, 2, async () => delay(PAUSE_MS));
    const figures: Figure[] = [];
    for (const operation of OPERATIONS) figures.push(await measure(fixture, operation));
    return figures;
  } finally {
    await fixture.close();
  }
}

/** Quiet and changing in turn, so that whatever else the machine does falls on both. */
async function measure(fixture: Fixture, operation: Operation): Promise<Figure> {
  const quiet: Seen[] = [];
  const changing: Seen[] = [];
  let changes = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    quiet.push(await loadFor(fixture, SECONDS / TURNS, async () => delay(PAUSE_MS)));
    changing.push(
      await loadFor(fixture, SECONDS / TURNS, async () => {
        changes += await operation.round(fixture);
        await delay(PAUSE_MS);
      }),
    );
  }
  return figureOf(operation, changes, together(quiet), together(changing));
}

/** Load for about these seconds, while something is done again and again. */
async function loadFor(fixture: Fixture, seconds: number, again: () => Promise<void>): Promise<Seen> {
  const load = new Load(fixture.site);
  const end = performance.now() + seconds * 1000;
  try {
    while (performance.now() < end) await again();
  } catch (error) {
    await load.stop();
    throw error;
  }
  return load.stop();
}

function figureOf({ what }: Operation, changes: number, quiet: Seen, changing: Seen): Figure {
  const failed = [...quiet.failures, ...changing.failures];
  const count = failed.reduce((sum, [, times]) => sum + times, 0);
  const ratio = (part: number) => {
    const [with_, without] = [quantile(changing, part), quantile(quiet, part)];
    return `${(with_ / without).toFixed(2)} (${with_.toFixed(1)} to ${without.toFixed(1)} ms)`;
  };
  const requests = changing.requests.toLocaleString('en');
  return {
    what: `${what}: ${requests} requests during ${changes} changes`,
    value: `${count} failed; to the same load without changes p50 ${ratio(0.5)}, p99 ${ratio(0.99)}`,
    goal: '0 failed',
    ...(count === 0
      ? {}
      : {
          broken: `${what}: ${count} FAILED: ${failed.map(([why, times]) => `${times} × ${why}`).join('; ')}`,
        }),
  };
}
