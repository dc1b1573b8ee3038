import type { Amounts, QuotaName } from './model.ts';

/** Amounts together, name by name. */
export function sumOf(all: readonly Amounts[]): Amounts {
  const total: Partial<Record<QuotaName, number>> = {};
  for (const amounts of all) {
    for (const [name, amount] of Object.entries(amounts) as [QuotaName, number][]) {
      total[name] = (total[name] ?? 0) + amount;
    }
  }
  return total;
}

/** What is more in `a` than in `b`, name by name. */
export function excessOf(a: Amounts, b: Amounts): Amounts {
  const names = Object.keys(a) as QuotaName[];
  return Object.fromEntries(names.map((name) => [name, Math.max(0, (a[name] ?? 0) - (b[name] ?? 0))]));
}
