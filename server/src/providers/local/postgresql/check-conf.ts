import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Conf } from '../../../features/managed-postgresql/port.ts';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { identify, isAlive, processKey } from '../../../kernel/processes.ts';
import { checks } from '../host/checks.ts';
import { makeOwnFolder, writeForEngine } from '../host/files.ts';
import { run } from '../host/programs.ts';

/** What a server says of the folder that it is shown, and of the file as a whole. */
const OF_ITSELF = /contains errors|^skipping missing/;

const PREFIX = 'check-';
const ownKey = () => processKey(identify(process.pid) ?? { pid: process.pid, startedAt: '' });

/** Removes the folders of checks whose process was killed in the middle of them. */
export function removeLostChecks(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(PREFIX)) continue;
    const [, pid = '', startedAt = ''] = /^check-(\d+)@(.*)-[^-]*$/.exec(name) ?? [];
    if (!isAlive({ pid: Number(pid), startedAt })) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** Lets the server of a version read a configuration, and gives what it says against it, each fault with its line. */
export async function confFaults(root: string, binaries: string, conf: Conf): Promise<string[]> {
  const folder = mkdtempSync(join(root, `${PREFIX}${ownKey()}-`));
  try {
    makeOwnFolder(folder, folder);
    const read = (text: string) => readBy(join(binaries, 'bin', 'postgres'), folder, text);
    const first = faultsIn(await read(conf.text), conf);
    // As long as it does not know a name, it does not look at any value.
    const unknown = new Set(first.map(({ line }) => line));
    const rest = conf.text.split('\n').map((line, i) => (unknown.has(i + 1) ? '' : line));
    const second = first.length > 0 ? faultsIn(await read(rest.join('\n')), conf) : [];
    const all = [...first, ...second].sort((a, b) => a.line - b.line);
    return [...new Set(all.map(({ line, text }) => (line === 0 ? text : `line ${line}: ${text}`)))];
  } finally {
    await removeHome(folder);
  }
}

/** @returns what it says against the text; nothing: it accepts it */
async function readBy(postgres: string, folder: string, text: string): Promise<string> {
  writeForEngine(join(folder, 'postgresql.conf'), text, folder);
  // Asking for a setting makes it read the file, and nothing else.
  const { exitCode, output } = await checks.run(() =>
    run(postgres, ['-D', folder, '-C', 'port'], { home: folder }),
  );
  return exitCode === 0 ? '' : output || 'FATAL:  this version does not accept it';
}

interface Fault {
  /** 0: it does not say. */
  readonly line: number;
  readonly text: string;
}

function faultsIn(output: string, { settings }: Conf): Fault[] {
  const found: Fault[] = [];
  for (const [, said = ''] of output.matchAll(/(?:LOG|FATAL|ERROR): {2}(.*)/g)) {
    if (OF_ITSELF.test(said)) continue;
    const [, before, number] = /^(.*?),? (?:in|near).*? file ".*" line (\d+)/.exec(said) ?? [];
    const parameter = /parameter "([^"]+)"/.exec(said)?.[1]?.toLowerCase();
    const known = settings.findLast(({ name }) => name === parameter)?.line;
    found.push({ line: number === undefined ? (known ?? 0) : Number(number), text: before ?? said });
  }
  return found;
}
