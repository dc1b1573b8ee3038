import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { unprivileged } from './privileges.ts';

interface Tree {
  readonly folder: string;
  /** The home whose account reads or writes it; undefined: the common account. */
  readonly home: string | undefined;
}

/** Copies what is in a folder of one home into a folder of another one: the first account reads, the second writes, and
 *  neither can do both. A link in it stays a link.
 *  @param names what of it; absent: everything
 *  @throws Error with what the programs say */
export async function copyTree(from: Tree, to: Tree, names?: readonly string[]): Promise<void> {
  const list = names === undefined ? ['.'] : ['--null', '--files-from=-'];
  const reader = start(from, ['-C', from.folder, '-cf', '-', ...list], 'pipe');
  const writer = start(to, ['-C', to.folder, '-xpf', '-', '--no-same-owner'], 'ignore');
  const said = [collect(reader), collect(writer)];
  reader.stdin?.on('error', () => undefined).end((names ?? []).map((name) => `${name}\0`).join(''));
  writer.stdin?.on('error', () => undefined);
  if (writer.stdin) reader.stdout?.pipe(writer.stdin);
  // Nobody reads any more: the one that still writes would wait for ever.
  writer.once('exit', () => reader.stdout?.destroy());
  const codes = await Promise.all([reader, writer].map(async (each) => (await once(each, 'close'))[0]));
  if (codes.some((code) => code !== 0))
    throw new Error(
      `${from.folder} could not be copied: ${said
        .map((text) => text())
        .join('')
        .slice(0, 500)}`,
    );
}

function start({ home }: Tree, words: readonly string[], output: 'pipe' | 'ignore'): ChildProcess {
  const command = unprivileged({ program: 'tar', words }, { home });
  return spawn(command.program, command.words, {
    ...command.as,
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['pipe', output, 'pipe'],
  });
}

function collect({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 10_000) text += chunk;
  });
  return () => text;
}
