import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { accountOf } from '../../../kernel/engine-accounts.ts';
import { readJson, readText, removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import { findProcess } from '../../../kernel/processes.ts';
import type { Sink } from '../host/sink.ts';
import { makeFolders, makeNodeFolders, nodePathsOf, type Paths, pathsOf } from './paths.ts';
import { runAsRoot } from './root.ts';
import type { ProgramNotes } from './server.ts';
import { ACCOUNTS_OF_NODE, firstAccountOf } from './words.ts';

/** What a backup takes of a cluster: its control plane, and which nodes there are. What is on a node need not survive
 *  it, and is made anew. */

const DRAFT = 'backup.draft';
/** Frozen, etcd's files are those that a power cut would leave, which it starts from. The shell goes on if we are
 *  killed, so that no control plane stays frozen. */
const SCRIPT = `trap 'kill -CONT "$1"' EXIT; trap exit TERM; kill -STOP "$1" && cp -a "$2/." "$3"`;
const NOT_KEPT = [
  './data',
  './run',
  `./${DRAFT}`,
  './*.pid',
  './*.log',
  './nodes/*/data',
  './nodes/*/*.pid',
  './nodes/*/*.log',
];

export async function backUpCluster(root: string, id: string, sink: Sink): Promise<void> {
  const { home, data, pidFile } = pathsOf(root, id);
  await sink.files('files.tar', home, { leftOut: NOT_KEPT });
  const running = findProcess(Number(readText(pidFile)), (words) => words.includes(`--dir=${data}`));
  if (!running) return sink.files('data/files.tar', data);
  const draft = join(home, DRAFT);
  await removeFolder(draft);
  mkdirSync(draft, { mode: 0o700 });
  try {
    const words = ['-c', SCRIPT, 'sh', String(running.pid), data, draft];
    const { exitCode, output } = await runAsRoot('/bin/sh', words);
    if (exitCode !== 0)
      throw new Error(`Kubernetes cluster ${id} could not be copied: ${output.slice(0, 500)}`);
    await sink.files('data/files.tar', draft);
  } finally {
    await removeFolder(draft);
  }
}

/** Names the folders and the account of this machine to the programs of a cluster that was restored. */
export function settleCluster(root: string, id: string): void {
  const paths = pathsOf(root, id);
  makeFolders(paths);
  rename(paths.notes, {
    ...ofCluster(paths),
    '--dir': paths.data,
    '--socket': paths.socket,
  });
  for (const name of existsSync(paths.nodes) ? readdirSync(paths.nodes) : []) {
    const node = nodePathsOf(paths, name);
    makeNodeFolders(node, readJson<ProgramNotes>(node.notes)?.list[0] === 'machine');
    const former = wordOf(node.notes, '--first-account');
    if (former !== undefined) giveVolumes(paths, Number(former));
    rename(node.notes, { ...ofCluster(paths), '--dir': node.data, '--root': node.root });
  }
}

const ofCluster = ({ home, network, volumes }: Paths) => ({
  '--authority': home,
  '--network': network,
  '--volumes': volumes,
  '--account': String(accountOf(home)?.uid ?? 0),
  '--first-account': String(firstAccountOf(home)),
});

/** @param values of words, by their names; a path that means nothing here goes */
function rename(file: string, values: Readonly<Record<string, string>>): void {
  const notes = readJson<ProgramNotes>(file);
  if (notes === null) return;
  const list = notes.list.flatMap((word) => {
    const [name = '', value = ''] = word.split('=', 2);
    const given = values[name];
    if (given !== undefined) return [`${name}=${given}`];
    return isAbsolute(value) && !existsSync(value) ? [] : [word];
  });
  writeFileAtomically(file, JSON.stringify({ ...notes, list, words: list.join('\n') }));
}

const wordOf = (file: string, name: string): string | undefined =>
  readJson<ProgramNotes>(file)
    ?.list.find((word) => word.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Gives what pods keep to the accounts that nodes have here.
 *  @param former the first one that they had */
function giveVolumes({ home, volumes }: Paths, former: number): void {
  const shift = firstAccountOf(home) - former;
  if (process.getuid?.() !== 0 || shift === 0 || !existsSync(volumes)) return;
  const moved = (id: number) => (id >= former && id < former + ACCOUNTS_OF_NODE ? id + shift : id);
  // By the kinds of its entries nothing behind a link of a tenant is reached.
  const entries = readdirSync(volumes, { recursive: true, withFileTypes: true });
  for (const file of [volumes, ...entries.map(({ parentPath, name }) => join(parentPath, name))]) {
    const { uid, gid } = lstatSync(file);
    lchownSync(file, moved(uid), moved(gid));
  }
}
