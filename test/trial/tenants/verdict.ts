import { databaseFaults } from '../../chaos/database-faults.ts';
import { waitUntil } from '../../harness/wait.ts';
import { type Lab, MACHINES } from '../lab.ts';
import { cmdlines } from './programs.ts';
import type { Tenant } from './tenant.ts';

export interface Verdict {
  /** Of what was acknowledged. */
  readonly lost: number;
  readonly kept: number;
  readonly faults: readonly string[];
}

/** Looks at everything when all has calmed down. */
export async function judge(
  lab: Lab,
  tenants: readonly Tenant[],
  isRange: (address: string) => boolean,
): Promise<Verdict> {
  const faults: string[] = [];
  const query = (text: string) => lab.primary.query(text, 'virga');
  let [lost, kept] = [0, 0];
  for (const tenant of tenants) {
    try {
      await tenant.waitFor(true);
      lost += await tenant.lost();
      kept += (tenant.database?.rows.size ?? 0) + (tenant.bucket?.keys.size ?? 0);
    } catch (error) {
      faults.push(`${tenant.name}: ${String(error)}`);
    }
  }
  const unended = () => query('select id, type from tasks where finished_at is null');
  await waitUntil(async () => (await unended()).length === 0, { what: 'all tasks to end' }).catch(() => {});
  for (const { id, type } of await unended()) faults.push(`task ${id} (${type}) has not ended`);
  const failed = await query(
    `select type, error, count(*)::int as n from tasks where state = 'ERROR' group by 1, 2`,
  );
  for (const { type, error, n } of failed) faults.push(`${n} tasks ${type} failed: ${String(error)}`);
  faults.push(...(await databaseFaults(query)));
  faults.push(...(await strangeAddresses(lab, isRange)));
  const lines = cmdlines();
  for (const { name, balancer } of tenants) {
    const masters = lines.filter(
      (line) => line.includes(balancer.id) && /haproxy.* -W|haproxy.*-Ws/.test(line),
    );
    if (masters.length === 0 && !lines.some((line) => line.includes(balancer.id)))
      faults.push(`${name}: its load balancer has no process`);
  }
  const doubled = await query(
    `select p.client_id, count(*)::int as n from load_balancers l join projects p on p.id = l.project_id group by 1 having count(*) > 1`,
  );
  for (const { client_id, n } of doubled)
    faults.push(`client ${client_id} has ${n} load balancers instead of one`);
  return { lost, kept, faults };
}

/** Addresses on interfaces that nothing has, or that two machines have. */
async function strangeAddresses(lab: Lab, isRange: (address: string) => boolean): Promise<string[]> {
  const rows = await lab.primary.query(
    `select host(address) as address from region_addresses where region_id = 1
     union select host from postgresql_clusters where host is not null
     union select split_part(split_part(address, '//', 2), ':', 1) from object_storages where address is not null`,
    'virga',
  );
  const known = new Set(rows.map(({ address }) => String(address)));
  const seen = new Map<string, string[]>();
  for (const machine of MACHINES)
    for (const address of lab.segment.addresses(machine).filter(isRange))
      seen.set(address, [...(seen.get(address) ?? []), machine]);
  return [...seen].flatMap(([address, machines]) => [
    ...(known.has(address) ? [] : [`${machines.join(' and ')} has ${address}, which nothing uses`]),
    ...(machines.length > 1 ? [`${machines.join(' and ')} have ${address}`] : []),
  ]);
}
