import { createdOne } from '../../../../../test/harness/project.ts';
import type { TestServer } from '../../../../../test/harness/server.ts';
import { raw, sql } from '../../../platform/database/sql.ts';

/** Bodies and calls that the tests of load balancers share. */

/** Region 2 of the test server is simulated and instant. */
export const LBS = '/cloud/v1/loadbalancers/1/2';

export const monitor = { type: 'HTTP', delay: 2, timeout: 1, max_retries: 2, url_path: '/' };

export const web = {
  name: 'web',
  listeners: [
    {
      name: 'http',
      protocol: 'HTTP',
      protocol_port: 8088,
      pools: [
        {
          name: 'app',
          protocol: 'HTTP',
          lb_algorithm: 'ROUND_ROBIN',
          members: [
            { address: '127.0.0.1', protocol_port: 9001 },
            { address: '127.0.0.1', protocol_port: 9002, weight: 5, backup: true },
          ],
          healthmonitor: monitor,
        },
      ],
    },
  ],
};

/** Creates a load balancer and waits for it. */
export const created = (server: TestServer, body: object = web, path = LBS): Promise<string> =>
  createdOne(server, 'loadbalancers', server.call('POST', path, { body }));

const TABLES = [
  'load_balancers',
  'lb_listeners',
  'lb_pools',
  'lb_members',
  'lb_health_monitors',
  'lb_listener_stats',
  'lb_l7_policies',
  'lb_l7_rules',
];

/** Rows of every table of load balancers, and what they use of the quota. */
export async function remains(server: TestServer): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await server.db.rows<Record<string, number>>(sql`select ${raw(counts.join(', '))},
       (select coalesce(sum(usage), 0) from quota_counters where name = 'loadbalancer_count') as reserved`);
  return row ?? {};
}
