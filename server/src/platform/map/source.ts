import type { Db } from '../database/db.ts';

/** The map of a project: what there is in all its regions, and how traffic goes between it. */

export interface MapNode {
  /** What it is, as searches name it, or a part of that: `pool`, `members`. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** A fact about it, for people. */
  readonly detail: string;
  /** null: it is in no region. */
  readonly regionId: number | null;
  readonly status: string;
  /** The task that works on it. */
  readonly taskId: string | null;
  /** What it is a part of, whose page shows it; absent: it has its own. */
  readonly partOf?: string;
}

/** Traffic goes from one to the other. */
export interface MapEdge {
  readonly from: string;
  readonly to: string;
}

export interface MapPart {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
}

export interface MapFor {
  readonly clientId: number;
  readonly projectId: number;
}

/** Reads what of a feature is on the map, at most `MOST_OF_KIND` of each kind and one more, by which it is known that
 *  there are others. */
export type MapSource = (db: Db, ask: MapFor) => Promise<MapPart>;

export const MOST_OF_KIND = 200;
/** How many are asked for. */
export const WITH_ONE_MORE = MOST_OF_KIND + 1;
