import { expect } from 'vitest';
import { raw, sql } from '../../../server/src/platform/database/sql.ts';
import type { TestServer } from '../../harness/server.ts';

/** What all examples need of their server. */

/** There is room for everything that any example needs. */
export async function raiseQuotas(server: TestServer, clients: readonly number[] = [1]): Promise<void> {
  const { body: quotas } = await server.call('GET', '/cloud/v2/client_quotas');
  const raised = (limits: object) =>
    Object.fromEntries(
      Object.keys(limits)
        .filter((name) => name.endsWith('_limit'))
        .map((name) => [name, 100_000_000]),
    );
  const global_limits = raised(quotas.global_quotas);
  const regional_limits = [{ region_id: 2, ...raised(quotas.regional_quotas[0]) }];
  const body = { global_limits, regional_limits };
  for (const client of clients) {
    const reply = await server.call('PATCH', `/virga/v1/clients/${client}/quotas`, { as: 'operator', body });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  }
}

/** The people of one example are unknown to the next, which may be about the same ones. */
export async function forgetPeople({ db }: TestServer): Promise<void> {
  for (const table of ['users', 'invitations']) {
    await db.run(
      sql`update ${raw(table)} set email = gen_random_uuid() || '@virga.test' where email like '%@example.com'`,
    );
  }
}
