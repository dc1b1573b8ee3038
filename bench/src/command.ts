import { spawnSync } from 'node:child_process';
import { bundle } from '../../scripts/lib/bundle.mjs';
import { ROOT } from '../../scripts/lib/root.mjs';
import { type Figure, median } from './measure.ts';

const RUNS = 31;

/** How long a person waits for the command itself. */
export async function benchCommand(): Promise<Figure[]> {
  const program = await bundle(ROOT, 'cli');
  const version = () => milliseconds([program, '--version']);
  const empty = () => milliseconds(['-e', '0']);
  // In turn, so that both have the same machine.
  const pairs = Array.from({ length: RUNS }, () => [version(), empty()] as const);
  const mine = median(pairs.map(([each]) => each));
  const nodes = median(pairs.map(([, each]) => each));
  return [
    {
      what: '`virga --version`, median, of which Node.js itself',
      value: `${Math.round(mine)} ms, ${Math.round(nodes)} ms`,
      goal: '< 150 ms',
    },
  ];
}

function milliseconds(args: readonly string[]): number {
  const begin = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
  return performance.now() - begin;
}
