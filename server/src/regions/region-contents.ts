import { addPublicImages } from '../features/images/index.ts';
import { addExternalNetworks } from '../features/networking/networks/index.ts';
import { insertProject, type NewProject, type ProjectRow } from '../features/projects/index.ts';
import { type NewRegion, readRegions, saveRegions } from '../features/regions/index.ts';
import { addDefaultGroups, completeDefaultGroups } from '../features/security-groups/index.ts';
import { fileFaultsOf, keepFileFaults } from '../features/simulation/index.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Db, Tx } from '../platform/database/db.ts';
import { contentsOf, WITH_SECURITY_GROUPS } from './known-providers.ts';

/** Saves regions, and gives every region that there is what its provider says that it has from the beginning, as far
 *  as it is not there yet, and the faults of its settings: each start repeats it, so that it also holds for what an older node has made meanwhile. */
export async function setUpRegions(
  tx: Tx,
  regions: readonly NewRegion[],
  { ids, timestamp }: { readonly ids: Ids; readonly timestamp: string },
): Promise<void> {
  await saveRegions(tx, regions, timestamp);
  const rows = await readRegions(tx);
  for (const { id, provider, settings } of rows) {
    const faults = provider === 'simulated' ? fileFaultsOf(settings) : [];
    await keepFileFaults(tx, id, faults, { uuid: () => ids.uuid(), at: timestamp });
  }
  const known = rows.flatMap((row) => {
    const contents = contentsOf(row);
    return contents ? [{ row, contents }] : [];
  });
  await addExternalNetworks(
    tx,
    known.map(({ row, contents: { externalRange: range, publicRanges } }) => ({
      regionId: row.id,
      range,
      publicRanges,
      createdAt: row.created_at,
    })),
    ids,
  );
  await addPublicImages(
    tx,
    known.map(({ row, contents: { images } }) => ({
      regionId: row.id,
      slug: row.slug,
      images,
      createdAt: row.created_at,
    })),
  );
}

/** Gives projects what they have in each region, as far as they lack it: after setUpRegions, when that is committed.
 *  There may be a million projects, whose groups would take minutes: a transaction that long would keep a start from
 *  going on where it was killed, and other nodes from making projects. */
export async function completeProjects(db: Db): Promise<void> {
  await completeDefaultGroups(db, WITH_SECURITY_GROUPS);
}

/** Makes a project, with what each project has in each region. */
export async function setUpProject(tx: Tx, project: NewProject): Promise<ProjectRow> {
  const row = await insertProject(tx, project);
  await addDefaultGroups(tx, WITH_SECURITY_GROUPS, row.id);
  return row;
}
