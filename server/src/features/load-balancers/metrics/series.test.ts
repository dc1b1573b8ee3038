import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quietSeries, type Sample, seriesOf } from './series.ts';

const at = (seconds: number) => new Date(1_900_000_000_000 + seconds * 1000);
const sample = (seconds: number, change: Partial<Sample> = {}): Sample => ({
  at: at(seconds),
  bytes_in: 0,
  bytes_out: 0,
  cpu_ms: 0,
  vcpus: 1,
  memory_util: 0,
  ...change,
});

test('rates are what was counted over the time in between', () => {
  const series = seriesOf([
    sample(0, { bytes_in: 1000, bytes_out: 10 }),
    sample(60, { bytes_in: 7000, bytes_out: 610, cpu_ms: 30_000, memory_util: 1.25, vcpus: 2 }),
  ]);
  expect(series).toEqual([{ at: at(60), ingress: 100, egress: 10, cpuUtil: 25, memoryUtil: 1.25 }]);
});

test('a counter that began anew, or is not known, says nothing about that time; the others do', () => {
  const series = seriesOf([
    sample(0, { cpu_ms: 9000, bytes_in: 5 }),
    sample(60, { cpu_ms: 100, bytes_in: 65 }),
    sample(120, { cpu_ms: null, bytes_in: 65 }),
  ]);
  expect(series.map(({ cpuUtil, ingress }) => [cpuUtil, ingress])).toEqual([
    [null, 1],
    [null, 0],
  ]);
});

test('whatever samples are thinned out, the bytes of the whole time stay the same', () => {
  const growth = fc.record({ seconds: fc.integer({ min: 1, max: 600 }), bytes: fc.nat(1_000_000) });
  fc.assert(
    fc.property(
      fc.array(growth, { minLength: 2, maxLength: 40 }),
      fc.infiniteStream(fc.boolean()),
      (steps, keep) => {
        let [time, bytes] = [0, 0];
        const samples = [sample(0)];
        for (const step of steps) {
          time += step.seconds;
          bytes += step.bytes;
          samples.push(sample(time, { bytes_in: bytes }));
        }
        const thinned = samples.filter((_, index) => {
          const kept = keep.next().value === true;
          return kept || index === 0 || index === samples.length - 1;
        });
        const points = seriesOf(thinned);
        const total = points.reduce((sum, point, index) => {
          const before = thinned[index]?.at.getTime() ?? 0;
          return sum + ((point.ingress ?? 0) * (point.at.getTime() - before)) / 1000;
        }, 0);
        expect(Math.abs(total - bytes)).toBeLessThan(1 + time / 1000);
      },
    ),
  );
});

test('what carries no traffic has zeros from its creation on', () => {
  const series = quietSeries({ from: at(-86_400), to: at(400), stepSeconds: 60 }, at(100));
  expect(series).toHaveLength(5);
  expect(series[0]).toMatchObject({ ingress: 0, egress: 0, cpuUtil: 0, memoryUtil: 0 });
  for (const point of series) {
    expect(point.at.getTime()).toBeGreaterThan(at(100).getTime());
    expect(point.at.getTime()).toBeLessThanOrEqual(at(400).getTime());
  }
});
