import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness/server.ts';
import { shared } from '../../../test/harness/shared.ts';
import type { NewRegion } from '../features/regions/index.ts';
import { randomIds } from '../kernel/ids.ts';
import { sql } from '../platform/database/sql.ts';
import { completeProjects, setUpRegions } from './region-contents.ts';

/** What a region has from the beginning comes from its provider's word, and each start sees to it. */

const region = (id: number, provider: string) => ({
  id,
  provider,
  state: 'ACTIVE',
  settings: {},
  display_name: `Region ${id}`,
  slug: `region-${id}`,
});

const server = shared(() =>
  startTestServer({ worker: false, regions: [region(1, 'local'), region(2, 'simulated')] }),
);

const start = async (regions: readonly NewRegion[] = []) => {
  await server.db.transaction((tx) =>
    setUpRegions(tx, regions, { ids: randomIds(), timestamp: new Date(0).toISOString() }),
  );
  await completeProjects(server.db);
};

/** How many there are of each thing, by region. */
const contents = () =>
  server.db.rows(sql`select r.id, r.provider,
            (select array_agg(s.cidr::text order by s.cidr) from subnets s where s.region_id = r.id
                and s.network_id in (select id from networks where external)) as ranges,
            (select count(*) from images i where i.region_id = r.id and i.project_id is null) as images,
            (select count(*) from security_groups g where g.region_id = r.id and g.is_default) as groups
       from regions r order by r.id`);

test('a region has its addresses, images and groups, and a start adds nothing to what is there', async () => {
  const before = await contents();
  expect(before).toEqual([
    { id: 1, provider: 'local', ranges: ['127.64.0.0/10', 'fd76:6972:6761:1::/64'], images: 0, groups: 0 },
    {
      id: 2,
      provider: 'simulated',
      ranges: [
        '10.0.0.0/8',
        '100.64.0.0/10',
        '192.0.2.0/24',
        '198.51.100.0/24',
        '203.0.113.0/24',
        'fd76:6972:6761:2::/64',
      ],
      images: 17,
      groups: 2,
    },
  ]);
  await start();
  expect(await contents()).toEqual(before);
});

test('a start completes what a node of an older version has made', async () => {
  const before = await contents();
  await server.db.run(sql`delete from security_groups where project_id = 1`);
  await server.db.run(sql`update projects set has_default_groups = false where id = 1`);
  await server.db.run(sql`delete from images where region_id = 2`);
  await server.db.run(sql`delete from subnets where region_id = 2`);
  await server.db.run(sql`delete from networks where region_id = 2`);
  await start();
  expect(await contents()).toEqual(before);
});

test('images of a region of one name have the same ids everywhere', async () => {
  const { body } = await server.call('GET', '/cloud/v1/images/1/2?limit=1000');
  const alpine = body.results.find(({ name }: { name: string }) => name === 'alpine-3.22-x64');
  const [row] = await server.db.rows<{
    id: string;
  }>(sql`select overlay(overlay(md5(slug || ' alpine-3.22-x64') placing '4' from 13) placing '8' from 17)::uuid as id
       from regions where id = 2`);
  expect(alpine.id).toBe(row?.id);
});

/** Projects without a default group in a region that has security groups. */
async function lacking(): Promise<number> {
  const [row] = await server.db.rows<{
    count: number;
  }>(sql`select count(*) as count from projects p, regions r
      where r.provider = 'simulated' and p.deleted_at is null and not exists (
        select 1 from security_groups g where g.project_id = p.id and g.region_id = r.id and g.is_default)`);
  return row?.count ?? 0;
}

test('many projects that lack their groups are given them by two starts at once', async () => {
  await server.db.run(
    sql`insert into projects (client_id, name, created_at) select 1, 'bulk ' || i, now() from generate_series(1, 2500) i`,
  );
  expect(await lacking()).toBe(2500);
  await Promise.all([start(), start()]);
  expect(await lacking()).toBe(0);
});

test('all projects are given a group in a region that comes later, or changes its provider', async () => {
  await start([region(3, 'simulated')]);
  expect(await lacking()).toBe(0);
  await start([region(3, 'local')]);
  await server.db.run(sql`delete from security_groups where region_id = 3`);
  await start([region(3, 'simulated')]);
  expect(await lacking()).toBe(0);
});
