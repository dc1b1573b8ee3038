import type { Db } from '../database/db.ts';
import { readOwners } from './store.ts';

/** Owners of regions in the text format of Prometheus; they name nodes, so that only operators see them. */
export async function ownersForPrometheus(db: Db): Promise<string> {
  const owners = await readOwners(db);
  const lines = [
    '# HELP virga_region_owned Whether somebody works on a region whose programs run on one machine: 1 or 0',
    '# TYPE virga_region_owned gauge',
    ...owners.map(
      ({ region_id, node }) => `virga_region_owned{region="${region_id}"} ${node === null ? 0 : 1}`,
    ),
    '# HELP virga_region_owner Always 1; the label names the node that works on the region',
    '# TYPE virga_region_owner gauge',
    ...owners.flatMap(({ region_id, node }) =>
      node === null ? [] : [`virga_region_owner{region="${region_id}",node=${JSON.stringify(node)}} 1`],
    ),
  ];
  return `${lines.join('\n')}\n`;
}
