import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENT_NAMES, judge, KINDS, type StoredEvent } from './model.ts';
import type { UsageReport } from './schema.ts';
import { bucketsOf } from './usage.ts';

const event = (name: StoredEvent['name'], threshold: number): StoredEvent => ({
  uuid: 'u',
  name,
  storage_name: 's',
  bucket_name: '',
  threshold,
  reached_in: null,
});

const levels = EVENT_NAMES.filter((name) => !KINDS[name].monthly);
const sums = EVENT_NAMES.filter((name) => KINDS[name].monthly);

test('a level is reported each time that it rises to the threshold, and at no other time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...levels),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(30)),
      (name, threshold, usages) => {
        let state = event(name, threshold);
        let above = false;
        for (const usage of usages) {
          const { reachedIn, isNews } = judge(state, usage, '2026-01');
          expect(isNews).toBe(usage >= threshold && !above);
          above = usage >= threshold;
          state = { ...state, reached_in: reachedIn };
        }
      },
    ),
  );
});

test('a sum is reported at most once a month, and always when it has reached the threshold', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sums),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.record({ month: fc.integer({ min: 1, max: 12 }), added: fc.nat(20) })),
      (name, threshold, reports) => {
        let state = event(name, threshold);
        const totals = new Map<string, number>();
        const months: string[] = [];
        const inOrder = [...reports].sort((a, b) => a.month - b.month);
        for (const { month: number, added } of inOrder) {
          const month = `2026-${String(number).padStart(2, '0')}`;
          totals.set(month, (totals.get(month) ?? 0) + added);
          const { reachedIn, isNews } = judge(state, totals.get(month) ?? 0, month);
          if (isNews) months.push(month);
          state = { ...state, reached_in: reachedIn };
        }
        const reached = [...totals].filter(([, total]) => total >= threshold).map(([month]) => month);
        expect(months).toEqual(reached.sort());
      },
    ),
  );
});

test('a late report for an earlier month does not notify again of a later one', () => {
  const sent = { ...event('reaching_used_traffic', 10), reached_in: '2026-02' };
  expect(judge(sent, 50, '2026-01')).toEqual({ reachedIn: '2026-02', isNews: false });
  expect(judge(sent, 50, '2026-02')).toEqual({ reachedIn: '2026-02', isNews: false });
  expect(judge(sent, 50, '2026-03')).toEqual({ reachedIn: '2026-03', isNews: true });
});

test('buckets of a report are distinguished, amounts of one bucket add up, the last level counts', () => {
  const amount = fc.option(fc.nat(1000), { nil: undefined });
  const bucket = fc.record({
    bucket_name: fc.constantFrom('a', 'b', '__proto__'),
    used_space: amount,
    used_traffic: amount,
    used_requests: amount,
  });
  fc.assert(
    fc.property(fc.array(bucket), (buckets) => {
      const merged = bucketsOf({ id: 'r', to: '2026-01-01', buckets } as unknown as UsageReport);
      expect(new Set(merged.map((each) => each.bucket_name)).size).toBe(merged.length);
      const sum = (list: readonly { used_traffic?: number | undefined }[]) =>
        list.reduce((total, each) => total + (each.used_traffic ?? 0), 0);
      expect(sum(merged)).toBe(sum(buckets));
    }),
  );
});
