import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, writeFileAtomically } from '../../../kernel/files.ts';
import type { Paths } from './paths.ts';
import { runAsRoot } from './root.ts';

/** The network of a cluster whose nodes run pods: a network namespace with a bridge for the nodes, and a link to this
 *  machine, which the engine makes (`virga-kubernetes network`).
 *
 *  Nodes are in 198.18.N.0/24, links in 198.19.N.0/30: addresses that are set aside for machines under test (RFC 2544), and
 *  that nobody else should have. */

/** What is noted of a network. */
export interface NetworkNotes {
  readonly number: number;
  readonly pods: string;
  readonly services: string;
}

/** @property number what tells it from those of other clusters on this machine
 *  @property inside where nodes find the API server */
export interface Network extends NetworkNotes {
  readonly inside: string;
  readonly nodes: string;
  readonly uplink: string;
}

/** How many clusters of a machine have networks. */
export const NETWORKS = 256;
/** The bridge has the first address. */
const FIRST_NODE = 11;
const LAST_NODE = 254;
/** What the engine says of addresses that something else has. */
const TAKEN = 'in use on this machine';

/** The network of a cluster; null: its nodes only pretend to run pods. */
export function networkOf(paths: Paths): Network | null {
  const notes = readJson<NetworkNotes>(paths.networkNotes);
  return notes && described(notes);
}

function described(notes: NetworkNotes): Network {
  const { number } = notes;
  return {
    ...notes,
    inside: `198.18.${number}.1`,
    nodes: `198.18.${number}.0/24`,
    uplink: `198.19.${number}.0/30`,
  };
}

/** Makes the network of a cluster, unless it is there.
 *  @param program of Kubernetes
 *  @param wish where pods and services have their addresses; `mirror` is the origin of a registry that nodes reach although
 *    it is near
 *  @throws TaskFailed when there are no addresses left, or with what the engine says */
export async function makeNetwork(
  paths: Paths,
  program: string,
  { mirror, ...wish }: Pick<NetworkNotes, 'pods' | 'services'> & { readonly mirror: string | undefined },
): Promise<Network> {
  const noted = networkOf(paths);
  const first = noted?.number ?? digestOf(paths.id).readUInt8(0);
  let reason = '';
  for (let tried = 0; tried < (noted === null ? NETWORKS : 1); tried += 1) {
    const notes = { number: (first + tried) % NETWORKS, ...wish };
    const network = described(notes);
    const { exitCode, output } = await runAsRoot(program, [
      'network',
      `--file=${paths.network}`,
      `--link=${linkOf(paths.id)}`,
      `--nodes=${network.nodes}`,
      `--uplink=${network.uplink}`,
      ...nearRegistry(mirror),
    ]);
    if (exitCode === 0) {
      writeFileAtomically(paths.networkNotes, JSON.stringify(notes));
      return network;
    }
    reason = output.trim().split('\n').at(-1) ?? '';
    if (!reason.includes(TAKEN)) break;
  }
  throw new TaskFailed(`The network of the cluster cannot be made: ${reason}`);
}

/** A registry with a name has to be in the internet: only of an address is it known beforehand where it is. */
function nearRegistry(mirror: string | undefined): string[] {
  if (mirror === undefined) return [];
  const { hostname, port, protocol } = new URL(mirror);
  if (!isIPv4(hostname)) return [];
  return [`--mirror=${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}

/** Removes the network of a cluster. Its number stays noted. */
export async function removeNetwork(paths: Paths, program: string): Promise<void> {
  const { exitCode, output } = await runAsRoot(program, ['network', '--remove', `--file=${paths.network}`]);
  if (exitCode !== 0) throw new Error(`the network of the cluster ${paths.id} cannot be removed: ${output}`);
  rmSync(paths.network, { force: true });
}

/** An address for another node.
 *  @throws TaskFailed when there is none */
export function freeNodeAddress({ number }: Network, taken: ReadonlySet<string>): string {
  for (let last = FIRST_NODE; last <= LAST_NODE; last += 1) {
    const address = `198.18.${number}.${last}`;
    if (!taken.has(address)) return address;
  }
  throw new TaskFailed(`A cluster of a local region has at most ${LAST_NODE - FIRST_NODE + 1} nodes`);
}

/** A name of a link has 15 characters at most. */
const linkOf = (id: string): string => `vk${digestOf(id).toString('hex').slice(0, 10)}`;
const digestOf = (id: string): Buffer => createHash('sha256').update(id).digest();
