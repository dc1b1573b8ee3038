import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { outputOf, saidWhenReady } from '../harness/process.ts';
import { readLastRelease } from './kept-release.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** A node of the last release, as its users run it. */
export interface OlderNode {
  readonly url: string;
  /** Lines of its log that are warnings or worse. That another node took a task over is none: on a busy machine a lease
   *  of three seconds may end, and the task goes on there. */
  complaints(): readonly string[];
  end(): Promise<number | null>;
}

/** Unpacks it where it finds the libraries that it needs. */
export function unpackLastRelease(): { readonly program: string; readonly version: string; remove(): void } {
  const parent = path.join(ROOT, 'server', 'dist');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, 'last-release-'));
  const program = path.join(folder, 'main.js');
  const release = readLastRelease();
  writeFileSync(program, release.program);
  mkdirSync(path.join(folder, 'migrations'));
  for (const [name, text] of Object.entries(release.files)) writeFileSync(path.join(folder, name), text);
  return {
    program,
    version: release.version,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function startOlderNode(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<OlderNode> {
  const { child, output } = launch(program, env);
  const url = await saidWhenReady(child, output, /Virga serves (\S+)/);
  return {
    url,
    complaints: () =>
      output()
        .split('\n')
        .filter((line) => /"level":[456]0/.test(line) && !line.includes('other runs have taken tasks over')),
    end: async () => {
      if (child.exitCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return (await exited)[0];
    },
  };
}

function launch(
  program: string,
  env: Readonly<Record<string, string>>,
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [program], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', VIRGA_EDGE: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, output: outputOf(child) };
}
