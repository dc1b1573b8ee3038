import type { Query } from '../../chaos/database-faults.ts';
import { reasons } from '../caller.ts';
import type { TrialLoad } from '../load.ts';
import { judge, otherFaults } from '../verdict.ts';
import type { Fault } from './faults.ts';

/** A fault that was tried, from its beginning until the machines were whole again. */
export interface Happened {
  readonly fault: Fault;
  readonly since: number;
  readonly until: number;
}

const COLUMNS = [
  'seconds without writes',
  'requests',
  'failed',
  'acknowledged',
  'lost',
  'doubled',
  'stuck',
  'drifted',
];

/** Prints the table of docs/scaling.md.
 *  @returns whether nothing was lost or done twice, and writes went on in time */
export async function report(
  happened: readonly Happened[],
  load: TrialLoad,
  query: Query,
  say: (line: string) => void,
): Promise<boolean> {
  const verdictOf = await judge(query);
  const wrong = [...(await otherFaults(load, query))];
  const whys: string[] = [];
  say(`| fault | ${COLUMNS.join(' | ')} |`);
  say(`|---|${COLUMNS.map(() => '---|').join('')}`);
  for (const { fault, since, until } of happened) {
    const within = (at: number) => at >= since && at < until;
    const requests = load.requests.filter(({ at }) => within(at));
    const failed = requests.filter((each) => each.failed).length;
    const writes = load.writes.filter(within).length;
    const { lost, doubled, stuck, drifted } = verdictOf(load.acknowledged.filter(({ at }) => within(at)));
    const seconds = pause(load.writes, since, until) / 1000;
    const figures = [seconds.toFixed(1), requests.length, failed, writes, lost, doubled, stuck, drifted];
    say(`| ${fault.name} | ${figures.join(' | ')} |`);
    if (lost + doubled + stuck + drifted > 0) wrong.push(`${fault.name}: what was acknowledged is not so`);
    if (seconds > fault.atMost) wrong.push(`${fault.name}: more than ${fault.atMost} s without a write`);
    for (const [why, count] of reasons(requests)) whys.push(`${fault.name}: ${count} times ${why}`);
  }
  for (const why of whys) say(why);
  for (const each of wrong) say(`not as it should be: ${each}`);
  return wrong.length === 0;
}

/** The longest time from one write to the next, in milliseconds: what had begun before counts. */
function pause(writes: readonly number[], since: number, until: number): number {
  const last = writes.findLast((at) => at < since) ?? since;
  const all = [last, ...writes.filter((at) => at >= since && at < until), until];
  return Math.max(...all.slice(1).map((at, index) => at - (all[index] ?? at)));
}
