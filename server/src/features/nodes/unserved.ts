import type { Db } from '../../platform/database/db.ts';
import { listOwners, type OwnedBy } from '../../platform/owners/store.ts';
import type { Unserved, UnservedSource } from '../../platform/owners/unserved.ts';

interface Served {
  readonly owner: OwnedBy;
  /** Of each kind, at most so many as a source names. */
  readonly unserved: readonly Unserved[];
  /** How many there are in all. */
  readonly count: number;
}

/** What regions whose programs run on a machine do not serve. */
export async function readServed(db: Db, sources: readonly UnservedSource[]): Promise<readonly Served[]> {
  const [owners, ...found] = await Promise.all([listOwners(db), ...sources.map((source) => source(db))]);
  return owners.map((owner) => {
    const unserved = found.flat().filter(({ region_id }) => region_id === owner.region_id);
    return { owner, unserved, count: countOf(unserved) };
  });
}

/** Each says how many of its kind there are in its region. */
const countOf = (unserved: readonly Unserved[]): number =>
  [...new Map(unserved.map(({ kind, count }) => [kind, count])).values()].reduce(
    (sum, each) => sum + each,
    0,
  );

/** In the text format of Prometheus. */
export async function unservedForPrometheus(db: Db, sources: readonly UnservedSource[]): Promise<string> {
  const lines = [
    '# HELP virga_region_not_served Databases, storages and clusters of a region of a machine that do not serve',
    '# TYPE virga_region_not_served gauge',
    ...(await readServed(db, sources)).map(
      ({ owner, count }) => `virga_region_not_served{region="${owner.region_id}"} ${count}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
