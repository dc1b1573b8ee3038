import { type SeriesWindow, timesIn } from '../../../kernel/series.ts';

/** Rates from samples of counters. Pure. */

export interface Sample {
  readonly at: Date;
  readonly bytes_in: number;
  readonly bytes_out: number;
  /** Processor time so far; null: not known. */
  readonly cpu_ms: number | null;
  readonly vcpus: number;
  /** Percent of the flavor's memory. */
  readonly memory_util: number | null;
}

/** A sample with what became of requests; null: it was not counted then. */
export interface FullSample extends Sample {
  readonly connections: number | null;
  readonly responses_2xx: number | null;
  readonly responses_3xx: number | null;
  readonly responses_4xx: number | null;
  readonly responses_5xx: number | null;
  readonly responses_other: number | null;
  /** Responses of members. */
  readonly responses_timed: number | null;
  /** The sum of their times. */
  readonly response_ms: number | null;
  /** The worst operating status since the sample before; null: there was nothing wrong. */
  readonly alert: string | null;
}

/** What became of requests since the moment before. */
export interface RequestPoint {
  readonly at: Date;
  /** Of each second; null: that is not known. */
  readonly connections: number | null;
  readonly responses: Readonly<Record<'2xx' | '3xx' | '4xx' | '5xx' | 'other', number | null>>;
  /** Milliseconds that members took on average; null: none of them responded. */
  readonly responseMs: number | null;
  readonly alert: string | null;
}

/** What is shown of one moment: averages since the one before. Percent, and bytes per second. */
export interface Point {
  readonly at: Date;
  readonly cpuUtil: number | null;
  readonly memoryUtil: number | null;
  readonly ingress: number | null;
  readonly egress: number | null;
}

/** One point for each sample but the first, which only says where the counters began. Rates are averages over
 *  the time since the sample before: Δbytes / Δt, and Δcpu / (Δt · vCPUs). A counter that fell has begun anew,
 *  and says nothing about that time.
 *  @param samples in the order of their time */
export function seriesOf(samples: readonly Sample[]): Point[] {
  return samples.slice(1).map((sample, index) => {
    const before = samples[index] ?? sample;
    const seconds = (sample.at.getTime() - before.at.getTime()) / 1000;
    const cpu = rate(before.cpu_ms, sample.cpu_ms, seconds);
    return {
      at: sample.at,
      cpuUtil: cpu === null ? null : rounded(cpu / 10 / sample.vcpus),
      memoryUtil: sample.memory_util === null ? null : rounded(sample.memory_util),
      ingress: rounded(rate(before.bytes_in, sample.bytes_in, seconds)),
      egress: rounded(rate(before.bytes_out, sample.bytes_out, seconds)),
    };
  });
}

function rate(before: number | null, now: number | null, seconds: number): number | null {
  if (before === null || now === null || now < before || seconds <= 0) return null;
  return (now - before) / seconds;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}

/** One point for each sample but the first, as in `seriesOf`.
 *  @param samples in the order of their time */
export function requestsOf(samples: readonly FullSample[]): RequestPoint[] {
  return samples.slice(1).map((sample, index) => {
    const before = samples[index] ?? sample;
    const seconds = (sample.at.getTime() - before.at.getTime()) / 1000;
    const each = (of: (one: FullSample) => number | null) => rounded(rate(of(before), of(sample), seconds));
    const timed = rate(before.responses_timed, sample.responses_timed, 1);
    const took = rate(before.response_ms, sample.response_ms, 1);
    return {
      at: sample.at,
      connections: each((one) => one.connections),
      responses: {
        '2xx': each((one) => one.responses_2xx),
        '3xx': each((one) => one.responses_3xx),
        '4xx': each((one) => one.responses_4xx),
        '5xx': each((one) => one.responses_5xx),
        other: each((one) => one.responses_other),
      },
      responseMs: timed === null || took === null || timed === 0 ? null : rounded(took / timed),
      alert: sample.alert,
    };
  });
}

/** The series of what carries no traffic: zeros at every step.
 *  @param since when it began to exist */
export const quietSeries = (window: SeriesWindow, since: Date): Point[] =>
  timesIn(window, since).map((at) => ({ at, cpuUtil: 0, memoryUtil: 0, ingress: 0, egress: 0 }));
