import type { Faults } from '../../../kernel/faults.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Scope, VolumeRow } from '../model.ts';
import { keepVolumes } from '../store.ts';
import { addVolumes, keepPolicies } from './store.ts';

/** Which volumes belong to which policies. */

/** Those of these volumes that a policy may have; they are not deleted before the transaction ends. What is wrong with
 *  the others is added to the faults. */
export async function checkVolumes(
  tx: Tx,
  scope: Scope,
  ids: readonly string[],
  faults: Faults,
): Promise<readonly VolumeRow[]> {
  const requested = [...new Set(ids.map((id) => id.toLowerCase()))].sort();
  if (requested.length === 0) return [];
  const found = new Map((await keepVolumes(tx, requested, scope)).map((row) => [row.id, row]));
  for (const id of requested) {
    const cluster = found.get(id)?.cluster_id;
    if (!found.has(id)) faults.add('volume_ids', () => `volume ${id} was not found`);
    else if (cluster) faults.add('volume_ids', () => `volume ${id} belongs to Kubernetes cluster ${cluster}`);
  }
  return [...found.values()];
}

/** Those of these policies that a new volume can belong to; they are not deleted before the transaction ends. What is
 *  wrong with the others is added to the faults. */
export async function checkPolicies(
  tx: Tx,
  scope: Scope,
  ids: readonly number[],
  faults: Faults,
): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const found = await keepPolicies(tx, scope, ids);
  for (const id of new Set(ids))
    if (!found.includes(id)) faults.add('lifecycle_policy_ids', `lifecycle policy ${id} was not found`);
  return found;
}

/** Gives a new volume to policies. */
export async function joinPolicies(tx: Tx, volumeId: string, policies: readonly number[]): Promise<void> {
  for (const id of policies) await addVolumes(tx, id, [volumeId]);
}
