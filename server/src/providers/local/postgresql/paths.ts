import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { makePassage } from '../host/files.ts';
import { makeSocketFolder, socketFolderIn } from '../host/socket-folder.ts';

/** Where the servers of one region keep their things. A folder of ours for each cluster, through which its server
 *  can pass; in it one of the server, with the data. */

const SOCKET = '.s.PGSQL.5432';

/** A cluster has one server, or two of which one is the primary at a time; `next` is one of a newer version, which is
 *  being filled. */
export type NodeName = 'a' | 'b' | 'next';
const NODES: readonly NodeName[] = ['a', 'b', 'next'];

export interface Paths {
  readonly id: string;
  readonly node: NodeName;
  /** Titles of its processes begin with it. */
  readonly title: string;
  /** Of the cluster; only we write here. */
  readonly home: string;
  /** Of this server; only we write here. */
  readonly base: string;
  readonly data: string;
  /** What `initdb` fills, until it is whole. */
  readonly draft: string;
  readonly conf: string;
  readonly hba: string;
  readonly certificate: string;
  readonly key: string;
  readonly log: string;
  /** What of another cluster's log of changes is replayed here. */
  readonly replay: string;
  /** Outside the data, so that a copy of these can start. */
  readonly sockets: string;
  /** Only we read it. */
  readonly notes: string;
}

/** @param root of all clusters of the region */
export function pathsOf(root: string, id: string, node: NodeName = 'a'): Paths {
  const home = join(root, id);
  const base = node === 'a' ? home : join(home, node);
  return {
    id,
    node,
    title: node === 'a' ? id : `${id}-${node}`,
    home,
    base,
    data: join(base, 'data'),
    draft: join(base, 'draft'),
    conf: join(base, 'postgresql.conf'),
    hba: join(base, 'pg_hba.conf'),
    certificate: join(base, 'server.crt'),
    key: join(base, 'server.key'),
    log: join(base, 'server.log'),
    replay: join(home, 'replay'),
    sockets: socketFolderIn(base, 'pg', SOCKET),
    notes: join(home, 'notes.json'),
  };
}

/** Makes the folders of a server, its own with the account that servers have. */
export function makeFolders(paths: Paths): void {
  makePassage(paths.home);
  makePassage(paths.base);
  makeSocketFolder(paths.sockets, paths.home);
}

/** Removes what a server had, and leaves what is known of the cluster. */
export async function removeNode({ sockets, base, home, data, draft }: Paths): Promise<void> {
  const folders = base === home ? [data, draft] : [base];
  for (const folder of [sockets, ...folders]) await removeFolder(folder);
}

/** Removes all that a cluster had. The folder by which it is known goes last. */
export async function removeFolders(root: string, id: string): Promise<void> {
  for (const node of NODES) await removeFolder(pathsOf(root, id, node).sockets);
  await removeHome(join(root, id));
}

/** Ids of the clusters that have a folder. */
export function homesIn(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f-]{36}$/.test(entry.name))
    .map(({ name }) => name);
}
