import { monthly, type Prices, rounded } from '../../../platform/prices/prices.ts';
import type { VolumeRow } from '../model.ts';
import type { Schedule } from './model.ts';
import type { MaxPolicyUsage } from './schema.ts';
import { millisecondsOf } from './timing.ts';

type Kept = Pick<Schedule, 'timing' | 'maxQuantity' | 'retentionTime'>;

/** How many snapshots of a volume a schedule can have at the same time. */
function mostOf({ timing, maxQuantity, retentionTime }: Kept): number {
  const lasts = retentionTime ? millisecondsOf(retentionTime) : 0;
  if (lasts === 0 || timing.type === 'cron') return maxQuantity;
  return Math.min(maxQuantity, Math.ceil(lasts / millisecondsOf(timing)));
}

/** How many snapshots there can be at the same time, how large they are, in GiB, and what they would cost. */
export function maxUsage(
  schedules: readonly Kept[],
  volumes: readonly Pick<VolumeRow, 'size'>[],
  prices: Prices,
): MaxPolicyUsage {
  const ofEach = schedules.reduce((sum, schedule) => sum + mostOf(schedule), 0);
  const size = volumes.reduce((sum, volume) => sum + volume.size, 0);
  return {
    max_volume_snapshot_count_usage: ofEach * volumes.length,
    max_volume_snapshot_size_usage: ofEach * size,
    max_volume_snapshot_sequence_length: ofEach,
    max_cost: prices.item(prices.perHour({ kind: 'snapshot', gib: ofEach * size })),
  };
}

/** What the snapshots would cost at most, also by the type of volume. */
export function maxPrice(
  schedules: readonly Kept[],
  volumes: readonly Pick<VolumeRow, 'size' | 'type'>[],
  prices: Prices,
) {
  const ofEach = schedules.reduce((sum, schedule) => sum + mostOf(schedule), 0);
  const types = [...new Set(volumes.map(({ type }) => type))].map((type) => {
    const size = volumes.reduce((sum, each) => sum + (each.type === type ? each.size : 0), 0);
    return { type, perHour: prices.perHour({ kind: 'snapshot', gib: ofEach * size }) };
  });
  const total = prices.total(types.map(({ perHour }) => perHour));
  const discount = total === null ? null : 0;
  const shown = (amount: (perHour: number | null) => number | null) => ({
    volumes: types.map(({ type, perHour }) => ({ type, price: amount(perHour), discount })),
  });
  return {
    currency_code: prices.currency,
    discount,
    per_hour: shown(rounded),
    per_month: shown(monthly),
    total_price_per_hour: rounded(total),
    total_price_per_month: monthly(total),
    price_without_discount_per_month: monthly(total),
    tax_percent: prices.taxPercent,
    price_status: prices.statusOf(total),
  };
}
