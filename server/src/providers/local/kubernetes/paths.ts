import { join } from 'node:path';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { makeDirectoryOfEngine, makePassage } from '../host/files.ts';
import { makeSocketFolder, socketFolderIn } from '../host/socket-folder.ts';

/** Where a cluster keeps its things: a folder of ours, through which its programs can pass; in it theirs. */

const SOCKET = 'etcd.sock';
/** The longest one: of a kubelet, while it is made. */
const LONGEST_SOCKET = '01234567/pod-resources/0123456789';

export interface Paths {
  readonly id: string;
  /** Only we write here: the cluster's authority, and what runs. */
  readonly home: string;
  readonly caCertificate: string;
  readonly caKey: string;
  /** What the control plane keeps: etcd, its keys and certificates. */
  readonly data: string;
  readonly nodes: string;
  /** Persistent volumes, which all nodes see. Root of the nodes owns it; its first node makes it. */
  readonly volumes: string;
  readonly sockets: string;
  readonly socket: string;
  readonly log: string;
  readonly pidFile: string;
  readonly notes: string;
  /** It is there until the task that makes the cluster ends. If that went on elsewhere, it stays. */
  readonly making: string;
  /** It is there while nothing of the cluster is to run. */
  readonly paused: string;
  /** What keeps the network of its nodes, where they run pods. */
  readonly network: string;
  /** Which addresses that network has. Absent: its nodes only pretend. */
  readonly networkNotes: string;
}

/** @param root of all clusters of the region */
export function pathsOf(root: string, id: string): Paths {
  const home = join(root, id);
  const sockets = socketFolderIn(home, 'k8s', LONGEST_SOCKET);
  return {
    id,
    home,
    caCertificate: join(home, 'ca.crt'),
    caKey: join(home, 'ca.key'),
    data: join(home, 'data'),
    nodes: join(home, 'nodes'),
    volumes: join(home, 'volumes'),
    sockets,
    socket: join(sockets, SOCKET),
    log: join(home, 'control-plane.log'),
    pidFile: join(home, 'control-plane.pid'),
    notes: join(home, 'notes.json'),
    making: join(home, 'making'),
    paused: join(home, 'paused'),
    network: join(home, 'network'),
    networkNotes: join(home, 'network.json'),
  };
}

/** Makes the folders of a cluster, those of its programs with the account that they have. */
export function makeFolders(paths: Paths): void {
  makePassage(paths.home);
  makePassage(paths.nodes);
  makeDirectoryOfEngine(paths.data, paths.home);
  makeSocketFolder(paths.sockets, paths.home);
}

/** Removes all that a cluster had. The folder by which it is known goes last. */
export async function removeFolders(paths: Paths): Promise<void> {
  for (const folder of [paths.sockets, paths.nodes, paths.volumes, paths.data]) await removeFolder(folder);
  await removeHome(paths.home);
}

/** The files of one node. */
export interface NodePaths {
  readonly id: string;
  /** Of the cluster, whose account the node has. */
  readonly home: string;
  readonly folder: string;
  readonly data: string;
  /** What the kubelet of a node keeps that only pretends: with a short name, for its sockets. */
  readonly root: string;
  readonly log: string;
  readonly pidFile: string;
  readonly notes: string;
}

export function nodePathsOf({ home, nodes, sockets }: Paths, id: string): NodePaths {
  const folder = join(nodes, id);
  return {
    id,
    home,
    folder,
    data: join(folder, 'data'),
    root: join(sockets, id.slice(0, 8)),
    log: join(folder, 'node.log'),
    pidFile: join(folder, 'node.pid'),
    notes: join(folder, 'notes.json'),
  };
}

/** @param isMachine it runs pods: its root, who is nobody else, owns its data, and its program makes them */
export function makeNodeFolders(paths: NodePaths, isRealNode: boolean): void {
  makePassage(paths.folder);
  if (!isRealNode) makeDirectoryOfEngine(paths.data, paths.home);
}

export async function removeNodeFolders({ root, folder }: NodePaths): Promise<void> {
  await removeFolder(root);
  await removeFolder(folder);
}
