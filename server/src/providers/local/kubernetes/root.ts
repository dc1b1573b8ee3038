import { spawn } from 'node:child_process';
import type { RunResult } from '../host/programs.ts';

const PATIENCE_MS = 30_000;

/** Runs the engine, or the shell, to its end as root: it makes and removes networks and control groups, and nothing that a
 *  tenant says reaches it but names and numbers. */
export function runAsRoot(program: string, words: readonly string[]): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE_MS,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode: exitCode ?? -1, output }));
  });
}
