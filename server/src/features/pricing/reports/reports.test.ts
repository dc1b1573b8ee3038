import { describe, expect, test } from 'vitest';
import { addSshKey, createCluster } from '../../../../../test/harness/kubernetes.ts';
import { createdOne, faultsOf, finished, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { type PriceList, Prices } from '../../../platform/prices/prices.ts';
import { anImage, instanceBody } from '../../instances/testing/bodies.ts';
import { METERED } from './model.ts';
import { forgetUsage } from './store.ts';

const LIST: PriceList = {
  currency: 'EUR',
  per_hour: {
    flavors: { 'g1-standard-1-2': 0.01, 'g1-standard-2-4': 0.02 },
    load_balancer_flavors: { 'lb1-1-2': 0.015 },
    volume_gib: { standard: 0.0001 },
    snapshot_gib: 0.00005,
    image_gib: 0.00002,
    floating_ip: 0.003,
    external_ip: 0.004,
  },
};
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Found {
  readonly type: string;
  readonly billing_value: number;
  readonly cost: number | null;
}

const at = (ms: number) => new Date(Date.now() + ms).toISOString();
/** The last three days, with this one. */
const lately = (more: object = {}) => ({
  time_from: at(-3 * DAY_MS),
  time_to: at(0),
  enable_last_day: true,
  limit: 1000,
  ...more,
});

describe('with a price list', () => {
  const server = shared(async () => {
    const started = await startTestServer({ prices: new Prices(LIST) });
    await addSshKey(started);
    return started;
  });
  const { call } = project(() => server);
  const report = async (path: string, body: object, as?: 'other client') => {
    const reply = await server.call('POST', path, as ? { as, body } : { body });
    expect([reply.status, reply.body.message]).toEqual([200, undefined]);
    return reply.body;
  };
  const costs = (more: object = {}, as?: 'other client') =>
    report('/cloud/v1/cost_report/resources', lately(more), as);
  const of = async (uuid: string, type = 'volume'): Promise<Found[]> =>
    (await costs({ schema_filter: { type, field: 'uuid', values: [uuid] } })).results;
  const volume = (more: object = {}) =>
    createdOne(
      server,
      'volumes',
      call('POST', '/cloud/v1/volumes/1/2', {
        name: 'disk',
        size: 10,
        source: 'new-volume',
        type_name: 'standard',
        ...more,
      }),
    );
  /** As if it had been made so long ago. */
  const age = (table: string, id: string, ms: number) =>
    server.db.pool.query(`update ${table} set created_at = $2 where id = $1`, [id, at(-ms)]);

  test('each kind is reported from the row that it has, and what is gone stays', async () => {
    const disk = await volume();
    await createdOne(
      server,
      'snapshots',
      call('POST', '/cloud/v1/snapshots/1/2', { name: 'shot', volume_id: disk }),
    );
    await createdOne(
      server,
      'images',
      call('POST', '/cloud/v1/images/1/2', { name: 'picture', source: 'volume', volume_id: disk }),
    );
    await createdOne(server, 'floatingips', call('POST', '/cloud/v1/floatingips/1/2', {}));
    const balancer = await createdOne(
      server,
      'loadbalancers',
      call('POST', '/cloud/v1/loadbalancers/1/2', { name: 'web', flavor: 'lb1-1-2' }),
    );
    const image = await anImage((path) => server.call('GET', path));
    const vm = await createdOne(
      server,
      'instances',
      call('POST', '/cloud/v2/instances/1/2', instanceBody(image)),
    );
    const { results, count, price_status } = await costs();
    expect([...new Set(results.map(({ type }: Found) => type))].sort()).toEqual(METERED);
    expect(count).toBe(results.length);
    expect(price_status).toBe('show');
    await finished(server, call('DELETE', `/cloud/v1/instances/1/2/${vm}`));
    await finished(server, call('DELETE', `/cloud/v1/loadbalancers/1/2/${balancer}`));
    const after = await costs();
    const keyOf = ({ type, uuid, port_id }: Record<string, string>) => `${type} ${uuid ?? port_id}`;
    expect(after.results.map(keyOf).sort()).toEqual(results.map(keyOf).sort());
    const address = after.results.find(({ type }: Found) => type === 'external_ip');
    expect(address).toMatchObject({
      ip_address: expect.stringMatching(/^[\d.]+$/),
      billing_value_unit: 'minutes',
    });
  });

  test('a volume costs by its size as long as it had it', async () => {
    const disk = await volume();
    await age('volumes', disk, 2 * HOUR_MS);
    await finished(server, call('POST', `/cloud/v1/volumes/1/2/${disk}/extend`, { size: 30 }));
    const [grown] = await of(disk);
    expect(grown).toMatchObject({
      last_size: 30 * 1024 ** 3,
      volume_type: 'standard',
      billing_value_unit: 'gbminutes',
    });
    expect(grown?.billing_value).toBeGreaterThanOrEqual(1200);
    expect(grown?.billing_value).toBeLessThan(1300);
    expect(grown?.cost).toBeCloseTo(((grown?.billing_value ?? 0) / 60) * 0.0001, 4);
    await finished(server, call('DELETE', `/cloud/v1/volumes/1/2/${disk}`));
    const [gone] = await of(disk);
    expect(gone?.billing_value).toBeGreaterThanOrEqual(grown?.billing_value ?? 0);
    expect(await of(disk)).toEqual([gone]);
  });

  test('an instance of another flavor costs another price from then on', async () => {
    const image = await anImage((path) => server.call('GET', path));
    const vm = await createdOne(
      server,
      'instances',
      call('POST', '/cloud/v2/instances/1/2', instanceBody(image)),
    );
    await age('instances', vm, HOUR_MS);
    await finished(
      server,
      call('POST', `/cloud/v1/instances/1/2/${vm}/changeflavor`, { flavor_id: 'g1-standard-2-4' }),
    );
    const found = await of(vm, 'instance');
    expect(found).toEqual([
      expect.objectContaining({ flavor: 'g1-standard-1-2', cost: expect.closeTo(0.01, 3) }),
      expect.objectContaining({ flavor: 'g1-standard-2-4', cost: expect.closeTo(0, 3) }),
    ]);
  });

  test('nodes of clusters count with their volumes and addresses, also when the cluster is gone', async () => {
    await createCluster(server, 'metered');
    const nodes = (results: readonly Record<string, string>[]) =>
      results.filter(({ last_name }) => last_name?.startsWith('metered-')).map(({ type }) => type);
    const three = ['instance', 'instance', 'instance', 'volume', 'volume', 'volume'];
    expect(nodes((await costs()).results).sort()).toEqual(three);
    await finished(server, call('DELETE', '/cloud/v2/k8s/clusters/1/2/metered'));
    expect(nodes((await costs()).results).sort()).toEqual(three);
  });

  test('a report has whole days in UTC, and the last one where it is asked for', async () => {
    const disk = await volume({ size: 1 });
    await age('volumes', disk, 4 * DAY_MS);
    const minutes = async (body: object) => {
      const filter = { schema_filter: { type: 'volume', field: 'uuid', values: [disk] } };
      const { resources } = await report('/cloud/v1/usage_report', { ...body, ...filter });
      return resources[0]?.billing_value;
    };
    const [from, to] = [at(-2 * DAY_MS), at(-DAY_MS)];
    expect(await minutes({ time_from: from, time_to: to })).toBe(1440);
    expect(await minutes({ time_from: from, time_to: to, enable_last_day: true })).toBe(2880);
    expect(await minutes({ time_from: from, time_to: from })).toBeUndefined();
    expect(await minutes({ time_from: at(DAY_MS), time_to: at(2 * DAY_MS) })).toBeUndefined();
  });

  test('reports are filtered, sorted and cut into pages', async () => {
    const tags = { metered: 'Yes indeed' };
    const [small, large] = [await volume({ size: 1, tags }), await volume({ size: 100, tags })];
    for (const id of [small, large]) await age('volumes', id, HOUR_MS);
    const ids = async (more: object) => (await costs(more)).results.map(({ uuid }: { uuid: string }) => uuid);
    const conditions = [{ key: 'metered', value: 'INDEED' }];
    const sorted = { tags: { conditions }, order_by: ['billing_value.desc'] };
    expect(await ids(sorted)).toEqual([large, small]);
    expect(await ids({ ...sorted, order_by: undefined, sorting: [{ billing_value: 'asc' }] })).toEqual([
      small,
      large,
    ]);
    expect(await ids({ ...sorted, limit: 1, offset: 1 })).toEqual([small]);
    expect((await costs({ ...sorted, limit: 1 })).count).toBe(2);
    expect((await costs({ ...sorted, offset: 5 })).count).toBe(2);
    expect(await ids({ tags: { conditions: [{ ...conditions[0], strict: true }] } })).toEqual([]);
    expect(await ids({ ...sorted, types: ['instance', 'baremetal'] })).toEqual([]);
    expect(await ids({ ...sorted, regions: [1] })).toEqual([]);
    expect(await ids({ ...sorted, projects: [1], regions: [2] })).toEqual([large, small]);
    const bySize = { type: 'volume', field: 'last_size', values: [String(100 * 1024 ** 3)] };
    expect(await ids({ ...sorted, schema_filter: bySize })).toEqual([large]);
    const totals = await report(
      '/cloud/v1/cost_report/totals',
      lately({ tags: { conditions }, limit: undefined }),
    );
    expect(totals.results).toEqual([
      expect.objectContaining({
        type: 'volume',
        region_id: 2,
        volume_type: 'standard',
        cost: expect.closeTo(0.0101, 3),
      }),
    ]);
  });

  test('nobody sees what others have used, whatever they ask for', async () => {
    const disk = await volume();
    await finished(server, call('DELETE', `/cloud/v1/volumes/1/2/${disk}`));
    await volume();
    expect((await costs()).count).toBeGreaterThan(0);
    expect(await costs({ projects: [1] }, 'other client')).toMatchObject({ count: 0, results: [] });
    const usage = await report('/cloud/v1/usage_report', lately(), 'other client');
    expect(usage).toEqual({ count: 0, resources: [], totals: [] });
  });

  test('a file has a line for each, without formulas', async () => {
    const disk = await volume();
    await server.db.pool.query('update volumes set name = $2 where id = $1', [disk, '=1+"1"']);
    const filter = { schema_filter: { type: 'volume', field: 'uuid', values: [disk] } };
    const reply = await server.call('POST', '/cloud/v1/cost_report/resources', {
      body: lately({ ...filter, response_format: 'csv_records' }),
    });
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [names = '', line = '', ...rest] = String(reply.body).split('\r\n');
    expect(rest).toEqual(['']);
    expect(names.split(',')).toContain('billing_value');
    expect(line).toContain(`"'=1+""1"""`);
  });

  test('every faulty field is named', async () => {
    const body = {
      time_from: at(0),
      time_to: at(-DAY_MS),
      types: ['none'],
      limit: 0,
      schema_filter: { type: 'floatingip', field: 'flavor', values: [] },
      tags: { conditions: [{}] },
    };
    expect(await faultsOf(call('POST', '/cloud/v1/cost_report/resources', body))).toEqual(
      expect.arrayContaining(['limit', 'schema_filter.field', 'tags.conditions.0', 'time_to', 'types.0']),
    );
  });

  test('what ended long ago is forgotten', async () => {
    const disk = await volume();
    await finished(server, call('DELETE', `/cloud/v1/volumes/1/2/${disk}`));
    expect(await of(disk)).toHaveLength(1);
    await forgetUsage(server.db, new Date(Date.now() - HOUR_MS));
    expect(await of(disk)).toHaveLength(1);
    await forgetUsage(server.db, new Date(Date.now() + HOUR_MS));
    expect(await of(disk)).toEqual([]);
  });
});

test('without a price list costs are null and hidden, and use is counted all the same', async () => {
  const server = await startTestServer();
  try {
    await server.ended(
      await server.call('POST', '/cloud/v1/volumes/1/2', {
        body: { name: 'disk', size: 10, source: 'new-volume', type_name: 'standard' },
      }),
    );
    const { body } = await server.call('POST', '/cloud/v1/cost_report/resources', { body: lately() });
    expect(body).toMatchObject({
      price_status: 'hide',
      results: [{ type: 'volume', cost: null, currency: null, err: null }],
    });
  } finally {
    await server.close();
  }
});
