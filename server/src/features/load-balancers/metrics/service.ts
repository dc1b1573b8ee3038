import { offsetTime } from '../../../kernel/codecs.ts';
import { NotFound } from '../../../kernel/errors.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { type MetricsWindow, windowOf } from '../../../platform/http/metrics-window.ts';
import type { DataPlanes } from '../data-planes.ts';
import { type Point, quietSeries, type Sample, seriesOf } from './series.ts';
import { readCreation, readSamples } from './store.ts';

type MetricsContext = Pick<RegionContext, 'db' | 'clock' | 'region' | 'place'>;

export class LoadBalancerMetrics {
  readonly #providers: DataPlanes;

  constructor(providers: DataPlanes) {
    this.#providers = providers;
  }

  /** What a load balancer has used within the last hours or days, at most 1,440 points, oldest first.
   *  @throws Invalid, NotFound */
  async read(ctx: MetricsContext, id: string, asked: MetricsWindow) {
    const window = windowOf(asked, ctx.clock.now());
    const created = await readCreation(ctx.db, {
      id,
      ...ctx.place,
    });
    if (!created) throw new NotFound(`Load balancer ${id} was not found`);
    const { from: since, stepSeconds: step } = window;
    const points = this.#providers.of(ctx.region.id)?.passive
      ? quietSeries(window, created)
      : seriesOf(fromCreation(await readSamples(ctx.db, id, since, step), created, since));
    return { count: points.length, results: points.map(viewPoint) };
  }
}

/** Within the window of its creation all counters began at nothing then, so that its first minute counts. */
function fromCreation(samples: readonly Sample[], created: Date, since: Date): readonly Sample[] {
  const [first] = samples;
  if (!first || created < since || created >= first.at) return samples;
  const processor = first.cpu_ms === null ? null : 0;
  return [{ ...first, at: created, bytes_in: 0, bytes_out: 0, cpu_ms: processor }, ...samples];
}

function viewPoint({ at, cpuUtil, memoryUtil, ingress, egress }: Point) {
  return {
    cpu_util: cpuUtil,
    memory_util: memoryUtil,
    network_Bps_egress: egress,
    network_Bps_ingress: ingress,
    network_pps_egress: null,
    network_pps_ingress: null,
    time: offsetTime(at),
  };
}
