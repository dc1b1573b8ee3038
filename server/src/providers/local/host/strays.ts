import { sep } from 'node:path';
import { allPids, commandLine, identify, terminate } from '../../../kernel/processes.ts';

/** A process that works on something in a home. */
export interface Program {
  readonly pid: number;
  readonly words: readonly string[];
  /** The name of the home: a folder right below the root. */
  readonly home: string;
}

/** Every process that works on something under this directory. Who only reads a log there serves nobody. */
export function programsUnder(root: string): readonly Program[] {
  return allPids().flatMap((pid) => {
    const words = commandLine(pid);
    const home = words.map((word) => homeIn(word, root)).find((name) => name !== undefined);
    return home === undefined ? [] : [{ pid, words, home }];
  });
}

/** The home that a word of a command line is in; nginx writes its whole command line into one word. */
function homeIn(word: string, root: string): string | undefined {
  const inside = root + sep;
  const at = word.startsWith(inside) ? 0 : word.indexOf(` ${inside}`) + 1;
  if (word.endsWith('.log') || (at === 0 && !word.startsWith(inside))) return undefined;
  return word.slice(at + inside.length).split(sep)[0];
}

/** Ends programs under this directory that nobody counts as his own, which a crash at the wrong moment can leave behind.
 *  @param root of all homes of an engine */
export async function endStrays(root: string, isStray: (program: Program) => boolean): Promise<void> {
  for (const program of programsUnder(root)) {
    if (!isStray(program)) continue;
    const identity = identify(program.pid);
    if (identity) await terminate(identity);
  }
}
