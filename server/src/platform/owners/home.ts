import { existsSync } from 'node:fs';
import type { NodeIdentity, OwnedRegion } from './owned-region.ts';

/** Where a region belongs. */
export interface Home {
  /** Where it was served last; null: nowhere yet. */
  readonly node: string | null;
  readonly dataDir: string | null;
  /** The node that the operator wants it on; null: the one where it is. */
  readonly assigned: string | null;
  /** The nodes of which any may serve it; empty: the one where it is. */
  readonly peers: readonly string[];
}

/** Why a node may not own a region, or null: it may, as soon as nobody else does. A region stays with the machine
 *  and data directory that first served it, because its programs are there: those of the same data directory can be
 *  adopted, those of any other must be known to be gone. */
export function refusalOf(home: Home, region: OwnedRegion, me: NodeIdentity): string | null {
  const { node, dataDir, assigned, peers } = home;
  if (assigned !== null && assigned !== me.name) return `it belongs on node ${assigned} (VIRGA_REGIONS)`;
  if (peers.length > 0 && !peers.includes(me.name))
    return `it belongs on one of the nodes ${peers.join(', ')} (VIRGA_REGIONS)`;
  if (me.alone || node === null || dataDir === null) return null;
  if (node !== me.name) {
    if (assigned === me.name || peers.includes(me.name)) return null;
    return `it belongs to node ${node}, which served it first; "node": "${me.name}" in VIRGA_REGIONS moves it here`;
  }
  if (dataDir === me.dataDir) return null;
  const pids = region.data.programsOf(dataDir);
  if (pids.length > 0)
    return `programs of another data directory still serve it here (pid ${pids.join(', ')})`;
  if (!existsSync(dataDir)) return null;
  return 'it belongs to another data directory of this machine: start there, or remove that one';
}
