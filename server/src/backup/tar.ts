import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from './manifest.ts';

/** Archives of folders, by the tar of this machine: with owners, and with what S3 servers note beside their files. */

const ATTRIBUTES = process.platform === 'linux' ? ['--xattrs', '--xattrs-include=user.*'] : [];
const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
/** GNU tar: a file changed or went while it was read. What it was is in what follows, or nobody needs it. */
const CHANGED = 1;

export interface Packing {
  readonly leftOut?: readonly string[];
  readonly names?: readonly string[];
}

/** @returns the archive, and the end of the program that makes it */
export function pack(folder: string, { leftOut = [], names = ['.'] }: Packing = {}) {
  const words = ['-C', folder, '-cf', '-', '--numeric-owner', ...ATTRIBUTES];
  const child = spawn('tar', [...words, ...leftOut.map((name) => `--exclude=${name}`), ...names], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = collect(child.stderr);
  const ended = end(child, said, folder, CHANGED);
  ended.catch(() => undefined);
  return { stream: child.stdout, ended };
}

/** Unpacks an archive into a folder that is there. Root gives its files to the owners that they had. */
export async function unpack(archive: Readable, folder: string): Promise<void> {
  const child = spawn('tar', ['-C', folder, '-xpf', '-', '--numeric-owner', ...ATTRIBUTES], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const said = collect(child.stderr);
  const ended = end(child, said, folder, 0);
  await Promise.all([
    ended,
    // What tar has against it is what is said.
    pipeline(archive, child.stdin).catch(() => ended),
  ]);
}

type Child = ReturnType<typeof spawn>;

async function end(child: Child, said: () => string, folder: string, worst: number): Promise<void> {
  const [code] = await once(child, 'close').catch((error: unknown) => {
    throw new BackupError(`tar cannot be run on this machine: ${String(error)}`);
  });
  if (code === null || code > worst)
    throw new BackupError(`tar failed on ${folder}: ${said().slice(0, 500)}`);
}

function collect(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 10_000) text += chunk;
  });
  return () => text.trim();
}
