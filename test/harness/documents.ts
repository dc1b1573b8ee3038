import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** The blocks of code of a kind (`sh`, `json`) in a document, in their order.
 *  @param heading only those below this heading, up to the next one */
export function blocksOf(document: string, kind: string, heading?: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, document), 'utf8');
  const parts =
    heading === undefined ? [text] : text.split(/^(?=#+ )/m).filter((part) => headingOf(part) === heading);
  const blocks = parts.flatMap((part) => [...part.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)]);
  return blocks.filter(([, found]) => found === kind).map(([, , code]) => String(code));
}

const headingOf = (part: string) => /^#+ (.*)$/m.exec(part)?.[1];

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a script as a person would paste it, in the checkout. */
export async function runScript(
  script: string,
  env: Readonly<Record<string, string>> = {},
  program = 'bash',
): Promise<Ran> {
  const child = spawn(program, ['-c', script], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, output, errors };
}
