import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/log.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { DataPlanes } from '../data-planes.ts';
import { flavorOf } from '../flavors.ts';
import type { LoadBalancerProvider, Usage } from '../port.ts';
import { addUpEnded, insertSamples, readSampled, thinSamples, type UsageRow } from './store.ts';

const QUARTER_MS = 15 * 60_000;
const MIB = 1024 * 1024;

/** Notes what each load balancer of a live region has used, and forgets what is too old. */
export class Sampler {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #providers: DataPlanes;
  readonly #log: Logger;
  #quarter: number | undefined;

  constructor(db: Db, clock: Clock, providers: DataPlanes, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#providers = providers;
    this.#log = log;
  }

  async run(): Promise<void> {
    const live = new Map(await this.#providers.live());
    if (live.size === 0) return;
    const rows = await readSampled(this.#db, [...live.keys()]);
    const usage = new Map<string, Usage>();
    for (const [regionId, provider] of live) {
      const ids = rows.filter((row) => row.region_id === regionId).map(({ id }) => id);
      for (const [id, used] of await this.#usage(regionId, provider, ids)) usage.set(id, used);
    }
    const quarter = Math.floor(this.#clock.now().getTime() / QUARTER_MS);
    const coarse = quarter !== this.#quarter;
    const samples = rows.map(({ id, flavor }) => sampleOf(id, flavor, usage.get(id)));
    await insertSamples(this.#db, samples, this.#clock.timestamp(), coarse);
    this.#quarter = quarter;
    if (!coarse) return;
    await thinSamples(this.#db, this.#clock.now());
    await addUpEnded(this.#db);
  }

  async #usage(
    regionId: number,
    provider: LoadBalancerProvider,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Usage>> {
    try {
      return (await provider.usage?.(ids)) ?? new Map();
    } catch (error) {
      this.#log.warn({ err: error, regionId }, `usage could not be read: ${messageOf(error)}`);
      return new Map();
    }
  }
}

function sampleOf(id: string, flavorName: string | null, usage: Usage | undefined): UsageRow {
  const flavor = flavorOf(flavorName);
  return {
    id,
    vcpus: flavor.vcpus,
    cpuMs: usage ? Math.round(usage.cpuMs) : null,
    memoryUtil: usage ? (100 * usage.memoryBytes) / (flavor.ramMiB * MIB) : null,
    responses: usage?.responses ?? null,
  };
}
