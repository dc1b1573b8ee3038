import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { BackgroundJob } from '../feature.ts';
import { forgetLeftovers, readDeleted } from './leftover-store.ts';
import type { OwnedRegion } from './owned-region.ts';
import * as store from './store.ts';

export interface LeftoversOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  /** The name of this machine. */
  readonly node: { readonly name: string };
  readonly owned: readonly OwnedRegion[];
  readonly owners: { serves(regionId: number): boolean };
}

const LOOK_EVERY_MS = 5_000;
const FORGET_EVERY_MS = 3_600_000;
const KEPT_MS = 400 * 86_400_000;

/** Removes from this machine what was deleted while another one served its region, and the region's addresses while one
 *  does. */
export class Leftovers {
  readonly #options: LeftoversOptions;

  constructor(options: LeftoversOptions) {
    this.#options = options;
  }

  get jobs(): readonly BackgroundJob[] {
    const { db, clock } = this.#options;
    return [
      { name: 'region-leftovers', everyMs: LOOK_EVERY_MS, exclusive: false, run: () => this.look() },
      {
        name: 'region-leftovers-cleanup',
        everyMs: FORGET_EVERY_MS,
        exclusive: true,
        run: () => forgetLeftovers(db, new Date(clock.now().getTime() - KEPT_MS)),
      },
    ];
  }

  async look(): Promise<void> {
    const { log, owned } = this.#options;
    for (const region of owned) {
      try {
        await this.#lookAt(region);
      } catch (error) {
        const words = `what was deleted in region ${region.name} is still here: ${messageOf(error)}`;
        log.warn({ err: error, regionId: region.id }, words);
      }
    }
  }

  async #lookAt({ id, name, data }: OwnedRegion): Promise<void> {
    const { db, log, node, owners } = this.#options;
    const isOwn = owners.serves(id);
    const [row] = await store.readRows(db, [id], 0);
    // Another process of this machine serves it, or nobody has yet.
    if (!row || (!isOwn && (row.node === null || row.node === node.name))) return;
    const there = data.kept();
    const deleted = there.length === 0 ? [] : await readDeleted(db, id, there);
    const removed = await data.clear(deleted, isOwn ? null : row.epoch);
    if (removed.length > 0)
      log.info({ regionId: id, removed }, `files of what was deleted in region ${name} are removed`);
  }
}
