import { TaskFailed } from '../../../../kernel/errors.ts';
import type { Db } from '../../../../platform/database/db.ts';
import type { AddressProvider } from '../../addresses/index.ts';
import { readAddressesInUse } from '../../networks/index.ts';
import type { FloatingIpRow } from '../model.ts';
import { storeFloatingAddress } from '../store.ts';

const MAX_ATTEMPTS = 50;

/** Gives a floating IP an address that nothing else in the region has, unless it has one.
 *  @throws TaskFailed when the region has none left */
export async function giveAddress(
  db: Db,
  row: Pick<FloatingIpRow, 'id' | 'region_id' | 'floating_ip_address'>,
  provider: AddressProvider,
): Promise<void> {
  if (row.floating_ip_address !== null) return;
  // A region that computes addresses may have very many of them: they are not read.
  const inUse = new Set(provider.computed ? [] : await readAddressesInUse(db, row.region_id));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const candidate = await provider.allocateFloatingAddress(inUse, row.id);
    const stored = await storeFloatingAddress(db, row.id, candidate);
    if (stored === candidate) provider.stored?.(candidate);
    if (stored !== undefined) return;
    inUse.add(candidate);
  }
  throw new TaskFailed('No free address for a floating IP was found');
}
