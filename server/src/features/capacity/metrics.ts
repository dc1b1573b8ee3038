import type { Db } from '../../platform/database/db.ts';
import { statusOf, unitOf } from './service.ts';
import { type CapacityRow, readCapacity } from './store.ts';

const MIB = 2 ** 20;

const FAMILIES: readonly { name: string; help: string; of: (row: CapacityRow) => number }[] = [
  { name: 'used', help: 'What is used of the machine of a region', of: ({ used }) => used },
  { name: 'total', help: 'What the machine of a region has', of: ({ total }) => total },
];

/** Bytes of disk and memory, else pieces, in the text format of Prometheus. */
export async function capacityForPrometheus(db: Db): Promise<string> {
  const rows = await readCapacity(db, null);
  const labels = ({ region_id, resource }: CapacityRow) => `{region="${region_id}",resource="${resource}"}`;
  const scale = ({ resource }: CapacityRow) => (unitOf(resource) === 'MiB' ? MIB : 1);
  const lines = FAMILIES.flatMap(({ name, help, of }) => [
    `# HELP virga_region_capacity_${name} ${help}, in bytes or pieces`,
    `# TYPE virga_region_capacity_${name} gauge`,
    ...rows.map((row) => `virga_region_capacity_${name}${labels(row)} ${of(row) * scale(row)}`),
  ]);
  lines.push(
    '# HELP virga_region_capacity_status 0: enough is free, 1: below the threshold that warns, 2: nothing new is created',
    '# TYPE virga_region_capacity_status gauge',
    ...rows.map(
      (row) => `virga_region_capacity_status${labels(row)} ${['ok', 'low', 'full'].indexOf(statusOf(row))}`,
    ),
  );
  return `${lines.join('\n')}\n`;
}
