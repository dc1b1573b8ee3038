import type { Db } from '../../../platform/database/db.ts';
import type { DataPlanes } from '../data-planes.ts';
import { type CountedRow, readCounters } from './store.ts';

type Counter = 'active_connections' | 'bytes_in' | 'bytes_out' | 'request_errors' | 'total_connections';

const FAMILIES: readonly { name: string; type: 'counter' | 'gauge'; help: string; counter: Counter }[] = [
  { name: 'active_connections', type: 'gauge', help: 'Open connections', counter: 'active_connections' },
  {
    name: 'connections_total',
    type: 'counter',
    help: 'Connections since the beginning',
    counter: 'total_connections',
  },
  {
    name: 'bytes_in_total',
    type: 'counter',
    help: 'Bytes from clients since the beginning',
    counter: 'bytes_in',
  },
  {
    name: 'bytes_out_total',
    type: 'counter',
    help: 'Bytes to clients since the beginning',
    counter: 'bytes_out',
  },
  {
    name: 'request_errors_total',
    type: 'counter',
    help: 'Faulty requests since the beginning',
    counter: 'request_errors',
  },
];

/** Counters of load balancers and listeners of live regions, in the text format of Prometheus. Labels are ids
 *  and statuses alone: names are the users'. */
export async function countersForPrometheus(db: Db, providers: DataPlanes): Promise<string> {
  const rows = await readCounters(db, providers.liveIds());
  const kinds = [
    ['virga_loadbalancer', rows.filter((row) => row.listener_id === null)],
    ['virga_listener', rows.filter((row) => row.listener_id !== null)],
  ] as const;
  const lines = kinds.flatMap(([prefix, of]) => [
    ...FAMILIES.flatMap(({ name, type, help, counter }) => [
      `# HELP ${prefix}_${name} ${help}`,
      `# TYPE ${prefix}_${name} ${type}`,
      ...of.map((row) => `${prefix}_${name}{${labels(row)}} ${row[counter]}`),
    ]),
    `# HELP ${prefix}_status Always 1; the labels name the statuses`,
    `# TYPE ${prefix}_status gauge`,
    ...of.map((row) => `${prefix}_status{${labels(row)},${statuses(row)}} 1`),
  ]);
  return `${lines.join('\n')}\n`;
}

function labels({ id, listener_id, project_id, region_id }: CountedRow): string {
  const listener = listener_id === null ? '' : `,listener_id="${listener_id}"`;
  return `project_id="${project_id}",region_id="${region_id}",loadbalancer_id="${id}"${listener}`;
}

function statuses({ operating_status, provisioning_status }: CountedRow): string {
  return `operating_status="${operating_status}",provisioning_status="${provisioning_status}"`;
}
