import { Ended } from './ended.ts';
import { exitCodeOf, linesOf } from './failures.ts';
import { Explained } from './operation-command.ts';
import { programOf } from './program.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command line.
 *  @param args without the program
 *  @returns the exit code */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = programOf(terminal);
  try {
    // `virga help lb` is `virga lb --help`.
    const requested = args[0] === 'help' ? [...args.slice(1), '--help'] : [...args];
    await program.parseAsync(requested, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ended) return error.code;
    const lines = error instanceof Explained ? error.lines : linesOf(error);
    for (const line of lines) if (line !== '') terminal.say(line);
    return exitCodeOf(error instanceof Explained ? error.cause : error);
  }
}
