import { offsetTime, zuluTime } from '../../../kernel/codecs.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { windowBefore } from '../../../kernel/series.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { type MetricsWindow, windowOf } from '../../../platform/http/metrics-window.ts';
import type { DataPlanes } from '../data-planes.ts';
import {
  type FullSample,
  type Point,
  quietSeries,
  type RequestPoint,
  requestsOf,
  seriesOf,
} from './series.ts';
import { readCreation, readSamples } from './store.ts';

type MetricsContext = Pick<RegionContext, 'db' | 'clock' | 'region' | 'scope'>;

export class LoadBalancerMetrics {
  readonly #providers: DataPlanes;

  constructor(providers: DataPlanes) {
    this.#providers = providers;
  }

  /** What a load balancer has used within the last hours or days, at most 1,440 points, oldest first.
   *  @throws Invalid, NotFound */
  async read(ctx: MetricsContext, id: string, requested: MetricsWindow) {
    const window = windowOf(requested, ctx.clock.now());
    const created = await creationOf(ctx, id);
    const { from: since, stepSeconds: step } = window;
    const points = this.#providers.of(ctx.region.id)?.passive
      ? quietSeries(window, created)
      : seriesOf(fromCreation(await readSamples(ctx.db, id, since, step), created, since));
    return { count: points.length, results: points.map(viewPoint) };
  }

  /** What became of requests within the last hours, at most 1,440 points, oldest first. Of what carries no traffic
   *  there are none.
   *  @param hours 720 at most: nothing older is kept
   *  @throws NotFound */
  async readRequests(ctx: MetricsContext, id: string, hours: number) {
    const created = await creationOf(ctx, id);
    const { from, stepSeconds } = windowBefore(ctx.clock.now(), hours * 3600);
    const samples = await readSamples(ctx.db, id, from, stepSeconds);
    const points = requestsOf(fromCreation(samples, created, from));
    return { count: points.length, results: points.map(viewRequests) };
  }
}

async function creationOf({ db, scope }: MetricsContext, id: string): Promise<Date> {
  const created = await readCreation(db, { id, ...scope });
  if (!created) throw new NotFound(`Load balancer ${id} was not found`);
  return created;
}

/** Within the window of its creation all counters began at nothing then, so that its first minute counts. */
function fromCreation(samples: readonly FullSample[], created: Date, since: Date): readonly FullSample[] {
  const [first] = samples;
  if (!first || created < since || created >= first.at) return samples;
  const processor = first.cpu_ms === null ? null : 0;
  const none = { bytes_in: 0, bytes_out: 0, connections: 0, cpu_ms: processor };
  const counted = first.responses_2xx === null ? null : 0;
  const responses = {
    responses_2xx: counted,
    responses_3xx: counted,
    responses_4xx: counted,
    responses_5xx: counted,
    responses_other: counted,
    responses_timed: counted,
    response_ms: counted,
  };
  return [{ ...first, ...none, ...responses, at: created, alert: null }, ...samples];
}

function viewRequests({ at, connections, responses, responseMs, alert }: RequestPoint) {
  return {
    time: zuluTime(at),
    connections_per_second: connections,
    responses_per_second: responses,
    response_milliseconds: responseMs,
    alert,
  };
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
