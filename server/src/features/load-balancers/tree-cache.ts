import type { Db } from '../../platform/database/db.ts';
import type { LoadBalancerTree } from './model.ts';
import { readTrees, readVersions, type VersionRow } from './tree-store.ts';

/** Load balancers of live regions as they are now. What did not change since the last look is not read again:
 *  a look at hundreds of them costs one small statement. */
export class TreeCache {
  readonly #db: Db;
  #known = new Map<string, LoadBalancerTree>();

  constructor(db: Db) {
    this.#db = db;
  }

  async read(regionIds: readonly number[]): Promise<LoadBalancerTree[]> {
    const current = await readVersions(this.#db, regionIds);
    const kept = current.flatMap((row) => {
      const known = this.#known.get(row.id);
      return known && isSame(known, row) ? [known] : [];
    });
    const keptIds = new Set(kept.map(({ id }) => id));
    const fresh = await readTrees(
      this.#db,
      current.map(({ id }) => id).filter((id) => !keptIds.has(id)),
    );
    const trees = [...kept, ...fresh];
    this.#known = new Map(trees.map((tree) => [tree.id, tree]));
    return trees;
  }
}

function isSame(known: LoadBalancerTree, now: VersionRow): boolean {
  return (
    known.version === now.version &&
    known.provisioning_status === now.provisioning_status &&
    known.vip_address === now.vip_address &&
    known.additional_address === now.additional_address
  );
}
