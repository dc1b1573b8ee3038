import { readdirSync, readFileSync } from 'node:fs';

/** Pids of all processes that name something in their command line or title. */
export function processesNaming(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && readOr(`/proc/${pid}/cmdline`).includes(text));
}

/** What processes use, with their share of what they share with others. */
export const memoryMiB = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => {
    const pss = /^Pss:\s+(\d+) kB/m.exec(readOr(`/proc/${pid}/smaps_rollup`))?.[1];
    return sum + Number(pss ?? 0) / 1024;
  }, 0);

/** Of a process that may just have ended. */
function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
