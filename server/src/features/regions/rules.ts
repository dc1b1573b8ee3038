import type { Faults } from '../../kernel/faults.ts';

/** Adds a fault that names the regions that there are, if this is none of them. */
export function checkRegion(id: number, known: readonly number[], field: string, faults: Faults): void {
  if (!known.includes(id)) faults.add(field, `must be one of: ${known.join(', ')}`);
}
