import { TaskFailed } from '../../../kernel/errors.ts';
import type { Db, Queryable } from '../../../platform/database/db.ts';
import {
  type AddressProvider,
  type AddressSource,
  findAnyAddress,
  lockAddresses,
} from '../addresses/index.ts';
import { readAddressesInUse, readSource, WHOLE_REGION } from './address-subnets.ts';

/** What is to have an address. */
export interface Addressee {
  readonly id: string;
  readonly regionId: number;
  /** Where the address is unique. */
  readonly space: string;
  /** null: the region's own subnet of IPv4. */
  readonly subnetId: string | null;
  /** @returns what it has then; undefined when something else has this address */
  store(db: Queryable, address: string): Promise<string | undefined>;
}

const MAX_ATTEMPTS = 50;

/** Gives something a free address, unless it has one: of a network that has its addresses to itself the lowest one,
 *  else what the region's provider chooses.
 *  @returns the address that it has then
 *  @throws TaskFailed when none is left */
export async function allocateAddress(
  db: Db,
  provider: AddressProvider,
  addressee: Addressee,
): Promise<string> {
  const { space, subnetId } = addressee;
  const source = subnetId === null ? undefined : await readSource(db, subnetId);
  const attempt =
    source && space !== WHOLE_REGION && !provider.givesAll
      ? () => giveLowest(db, source, addressee)
      : providersAddresses(db, provider, source, addressee);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const stored = await attempt();
    if (stored !== undefined) return stored;
  }
  throw new TaskFailed('No free address was found');
}

/** One at a time: who looked for an address beside others would find the same one as they do. */
function giveLowest(
  db: Db,
  { cidr, gateway }: AddressSource,
  { regionId, space, store }: Addressee,
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await lockAddresses(tx, regionId, [space]);
    const address = await findAnyAddress(tx, { regionId, space, cidr, gateway });
    if (address === undefined) throw new TaskFailed(`Subnet ${cidr} has no free address`);
    return store(tx, address);
  });
}

function providersAddresses(
  db: Db,
  provider: AddressProvider,
  source: AddressSource | undefined,
  { id, regionId, space, store }: Addressee,
): () => Promise<string | undefined> {
  // The region's own addresses of IPv4 are wherever the provider has them.
  const within = source?.external && !source.cidr.includes(':') ? undefined : source;
  const refused = new Set<string>();
  return async () => {
    // A region that computes addresses may have very many of them: they are not read.
    const inUse = provider.computed ? refused : await readAddressesInUse(db, regionId, space);
    const address = await provider.allocateAddress(inUse, id, within);
    refused.add(address);
    const stored = await store(db, address);
    if (stored === address) provider.stored?.(address);
    return stored;
  };
}
