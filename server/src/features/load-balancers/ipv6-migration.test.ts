import pg from 'pg';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../../../test/harness/database.ts';
import { migrateToLatest } from '../../platform/database/migrate.ts';

test('a database from before IPv6 gets the subnets, and load balancers that are being created their version', async () => {
  const own = await createEmptyDatabase();
  const pool = new pg.Pool(own.connection);
  try {
    await migrateToLatest(pool, { includes: (name) => name < '0060' });
    // With a load balancer that has not got its address yet.
    await pool.query(`
      insert into regions (id, display_name, slug, state, provider, settings, created_at)
      values (77, 'Old', 'old', 'ACTIVE', 'local', '{}', now());
      insert into clients (id, name, email, status, created_at) values (77, 'old', 'old@example.org', 'active', now());
      insert into projects (id, client_id, name, state, created_at) values (77, 77, 'old', 'ACTIVE', now());
      insert into load_balancers (id, project_id, region_id, client_id, name, preferred_connectivity, tags,
        logging_enabled, provisioning_status, operating_status, created_at)
      values (gen_random_uuid(), 77, 77, 77, 'old', 'L2', '{}', false, 'PENDING_CREATE', 'OFFLINE', now());
    `);
    await migrateToLatest(pool);
    const subnets = await pool.query(
      `select s.cidr from subnets s join networks n on n.id = s.network_id
        where n.external and n.region_id = 77 order by family(s.cidr)`,
    );
    expect(subnets.rows).toEqual([{ cidr: '127.64.0.0/10' }, { cidr: 'fd76:6972:6761:4d::/64' }]);
    const families = await pool.query('select vip_ip_family, additional_subnet_id from load_balancers');
    expect(families.rows).toEqual([{ vip_ip_family: 'ipv4', additional_subnet_id: null }]);
    await migrateToLatest(pool);
  } finally {
    await pool.end();
    await own.drop();
  }
});
