import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of all processes, with spaces between the words. */
export const cmdlines = (): string[] => processes().map(({ line }) => line);

/** Ends programs whose command line has a text.
 *  @returns how many */
export function kill(text: string, program = /./): number {
  const found = processes().filter(({ line }) => line.includes(text) && program.test(line));
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return found.length;
}

function processes(): { readonly pid: number; readonly line: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return [{ pid: Number(name), line }];
      } catch {
        return [];
      }
    });
}
