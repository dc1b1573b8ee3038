import { run } from './run.ts';
import { type Progress, printedOnce, type Terminal } from './terminal.ts';

/** A run of the command within a test. */
export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** On a terminal of so many columns. */
  readonly columns?: number;
  /** What a person answers, one question after the other. */
  readonly answers?: readonly string[];
  readonly input?: string;
  readonly now?: Date;
  /** Hears of progress. */
  readonly onProgress?: (text: string) => void;
  /** Hears of programs that would be run. */
  readonly onProgram?: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void;
  /** Ctrl-C is pressed when progress is shown for the first time. */
  readonly interrupt?: boolean;
}

/** Runs a command line as `main` does, with streams that the test reads. */
export async function runCommand(args: readonly string[], circumstances: Circumstances = {}): Promise<Ran> {
  const { env = {}, cwd = '/nowhere', columns, answers, input = '', now = new Date() } = circumstances;
  const output: string[] = [];
  const errors: string[] = [];
  const left = [...(answers ?? [])];
  const onInterrupt = new Set<() => void>();
  const heard = (text: string): void => {
    circumstances.onProgress?.(text);
    if (circumstances.interrupt) for (const call of onInterrupt) call();
  };
  const progress = (text: string): Progress => {
    heard(text);
    return { show: heard, end: heard, clear: () => {} };
  };
  const terminal: Terminal = {
    env: { HOME: '/nowhere', ...env },
    cwd,
    print: (text) => void output.push(`${text}\n`),
    say: (text) => void errors.push(`${text}\n`),
    look: { isTerminal: columns !== undefined, hasColor: false, now },
    columns,
    isInteractive: answers !== undefined,
    ask: async (question) => {
      errors.push(question);
      return left.shift() ?? '';
    },
    input: () => input,
    progress,
    live: () => printedOnce((text) => void output.push(`${text}\n`)),
    runProgram: async (file, given, more) => {
      circumstances.onProgram?.(file, given, more);
      return 0;
    },
    onInterrupt: (call) => {
      onInterrupt.add(call);
      return () => onInterrupt.delete(call);
    },
  };
  const code = await run(args, terminal);
  return { code, output: output.join(''), errors: errors.join('') };
}
