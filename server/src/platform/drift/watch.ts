import { messageOf } from '../../kernel/errors.ts';
import type { BackgroundJob } from '../feature.ts';
import type { DriftOptions } from './reconciler.ts';

/** Resources of regions that somebody else can change, too, and that are not brought back: what they held would not
 *  come with them. */

/** What a region says of them. */
export interface Observes<Seen> {
  observe?(ids: readonly string[], failed: ReadonlySet<string>): Promise<ReadonlyMap<string, Seen>>;
  mayLook?(): Promise<boolean>;
}

interface WatchedRow {
  readonly id: string;
  /** Why it has failed, in the words of its region; null: the region has not said so. */
  readonly status_reason: string | null;
}

export interface Watched<Row extends WatchedRow, Seen> {
  /** In the plural: `instances`. */
  readonly noun: string;
  providerOf(regionId: number): Observes<Seen> | undefined;
  /** Those on which no task works. */
  readAll(regionId: number): Promise<readonly Row[]>;
  /** Notes what was seen of one, unless it has changed since. */
  note(row: Row, seen: Seen, regionId: number): Promise<void>;
}

const EVERY_MS = 15_000;

/** Notes what has become of them without anybody having asked for it here. */
export const watchJob = <Row extends WatchedRow, Seen>(
  { regionIds, log }: Pick<DriftOptions, 'regionIds' | 'log'>,
  { noun, providerOf, readAll, note }: Watched<Row, Seen>,
): BackgroundJob => ({
  name: `${noun}-watch`,
  everyMs: EVERY_MS,
  exclusive: false,
  async run() {
    for (const regionId of regionIds()) {
      const provider = providerOf(regionId);
      if (!provider?.observe || !((await provider.mayLook?.()) ?? true)) continue;
      try {
        const rows = await readAll(regionId);
        const failed = rows.flatMap(({ id, status_reason: reason }) => (reason === null ? [] : [id]));
        const ids = rows.map(({ id }) => id);
        const seen = await provider.observe(ids, new Set(failed));
        for (const row of rows) {
          const its = seen.get(row.id);
          if (its) await note(row, its, regionId);
        }
      } catch (error) {
        log.warn({ err: error, regionId }, `${noun} could not be looked at: ${messageOf(error)}`);
      }
    }
  },
});
