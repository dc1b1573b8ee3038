import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Providers } from '../tasks/providers.ts';

export interface OwnRegions<P> extends Providers<P> {
  readonly log: Logger;
  regionIds(): readonly number[];
  /** Which regions this node works on. */
  readonly owners: { serves(regionId: number): boolean };
}

/** Looks after each region that this node works on and that has such a provider. What fails in one region is logged,
 *  and keeps no other waiting.
 *  @param what was not seen when it fails, as the start of a sentence: "Storages" */
export async function inOwnRegions<P>(
  { log, regionIds, owners, providerOf }: OwnRegions<P>,
  what: string,
  look: (regionId: number, provider: P) => Promise<void>,
): Promise<void> {
  for (const regionId of regionIds()) {
    const provider = providerOf(regionId);
    if (!provider || !owners.serves(regionId)) continue;
    try {
      await look(regionId, provider);
    } catch (error) {
      log.warn({ err: error, regionId }, `${what} were not seen: ${messageOf(error)}`);
    }
  }
}
