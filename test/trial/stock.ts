import type { PostgresServer } from './postgres.ts';

/** What an installation holds before anything happens to it: rows as their tasks have left them. */

/** Load balancers of another project than the one in which the clients work. 0: an empty installation. */
export const STOCK = Number(process.env.VIRGA_TEST_TRIAL_ROWS ?? 300_000);
/** Tasks that have ended. */
const TASKS = Math.round(STOCK * 3.4);
/** Less than the year for which tasks are kept. */
const DAYS = 300;
const MONTHS = 11;

/** In bulk: no trigger counts, and the counts are made at the end. */
export async function fillStock(server: PostgresServer, project: number): Promise<void> {
  const at = (rows: number) => `now() - i * interval '${DAYS} days' / ${rows}`;
  await server.query(
    `set session_replication_role = replica;
     select add_month_of_ended_tasks((now() - i * interval '1 month')::date) from generate_series(0, ${MONTHS}) i;
     insert into load_balancers (id, client_id, project_id, region_id, name, provisioning_status, operating_status,
                                 vip_ip_family, created_at)
       select gen_random_uuid(), 1, ${project}, 2, 'stock ' || i, 'ACTIVE', 'ONLINE', 'ipv4', ${at(STOCK)}
         from generate_series(1, ${STOCK}) i;
     insert into tasks (id, client_id, project_id, region_id, user_id, type, state, created_at, updated_at, finished_at)
       select gen_random_uuid(), 1, ${project}, 2, 1, 'create_loadbalancer', 'FINISHED', ${at(TASKS)}, ${at(TASKS)},
              ${at(TASKS)} from generate_series(1, ${TASKS}) i;
     insert into quota_counters (client_id, region_id, name, usage, quota_limit)
       values (1, 2, 'loadbalancer_count', ${STOCK}, ${2 * STOCK})
       on conflict (client_id, region_id, name)
       do update set usage = quota_counters.usage + ${STOCK}, quota_limit = excluded.quota_limit;
     set session_replication_role = origin`,
    'virga',
  );
  await server.query('vacuum (analyze)', 'virga');
}
