import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import logUpdate from 'log-update';
import { createColors } from 'picocolors';
import spinner from 'yocto-spinner';
import { UsageError } from './failures.ts';
import type { Look } from './output/cells.ts';

/** What the command is run in: terminals or files, and settings of the environment. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** A line, or several, on standard output. */
  readonly print: (text: string) => void;
  /** A line on standard error. */
  readonly say: (text: string) => void;
  readonly look: Look;
  /** Columns of the terminal that standard output is; undefined: it is none. */
  readonly columns: number | undefined;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Asks for a line. @param hidden is not shown */
  readonly ask: (question: string, hidden?: boolean) => Promise<string>;
  /** All that comes on standard input. */
  readonly input: () => string;
  /** A line on standard error that moves; without a terminal nothing. */
  readonly progress: (text: string) => Progress;
  /** A picture on standard output that changes; without a terminal each of its states is printed. */
  readonly live: () => Live;
  /** Runs a program in this terminal. @returns its exit code */
  readonly runProgram: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;
  /** Calls back at Ctrl-C. @returns what takes it back */
  readonly onInterrupt: (call: () => void) => () => void;
}

export interface Live {
  readonly show: (text: string) => void;
  readonly end: () => void;
}

export interface Progress {
  readonly show: (text: string) => void;
  /** Ends the line with what came of it. */
  readonly end: (text: string, isGood: boolean) => void;
  readonly clear: () => void;
}

export function processTerminal(): Terminal {
  const { env, stdout, stderr, stdin } = process;
  const hasColor = createColors().isColorSupported && stdout.isTTY === true;
  return {
    env,
    cwd: process.cwd(),
    print: (text) => void stdout.write(`${text}\n`),
    say: (text) => void stderr.write(`${text}\n`),
    look: { isTerminal: stdout.isTTY === true, hasColor, now: new Date() },
    // Some terminals do not say how wide they are.
    columns: stdout.isTTY && stdout.columns > 0 ? stdout.columns : undefined,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    ask,
    input: () => readFileSync(0, 'utf8'),
    progress: stderr.isTTY ? moving : still,
    live: stdout.isTTY ? redrawn : () => printedOnce((text) => void stdout.write(`${text}\n`)),
    runProgram: async (file, args, more) => {
      const child = spawn(file, args, { stdio: 'inherit', env: more });
      const [code] = await once(child, 'close');
      return code ?? 1;
    },
    onInterrupt: (call) => {
      process.once('SIGINT', call);
      return () => process.off('SIGINT', call);
    },
  };
}

/** @throws UsageError when the input ends before there is an answer */
async function ask(question: string, hidden = false): Promise<string> {
  const { stdin, stderr } = process;
  const reader = createInterface({
    input: stdin,
    output: hidden ? undefined : stderr,
    terminal: stderr.isTTY,
  });
  if (hidden) stderr.write(question);
  const ended = new Promise<never>((_, reject) => {
    reader.once('close', () => reject(new UsageError('There was no answer')));
  });
  try {
    const answer = await Promise.race([reader.question(hidden ? '' : question), ended]);
    if (hidden) stderr.write('\n');
    return answer.trim();
  } finally {
    ended.catch(() => {});
    reader.close();
  }
}

function moving(text: string): Progress {
  const line = spinner({ text, stream: process.stderr }).start();
  return {
    show: (next) => {
      line.text = next;
    },
    end: (last, isGood) => void (isGood ? line.success(last) : line.error(last)),
    clear: () => void line.stop(),
  };
}

function still(): Progress {
  return { show: () => {}, end: () => {}, clear: () => {} };
}

const redrawn = (): Live => ({ show: (text) => logUpdate(text), end: () => logUpdate.done() });

/** The same text is printed once. */
export function printedOnce(print: (text: string) => void): Live {
  let last = '';
  return {
    show: (text) => {
      if (text !== last) print(text);
      last = text;
    },
    end: () => {},
  };
}
