import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addSshKey, createCluster } from '../../../../test/harness/kubernetes.ts';
import { newFolder } from '../../../../test/harness/leftovers.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { type PriceList, Prices } from '../../platform/prices/prices.ts';
import { readPriceList } from '../../startup/price-list-file.ts';

const LIST: PriceList = {
  currency: 'EUR',
  tax_percent: 19,
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

const V1 = '/cloud/v1/pricing/1/2';
const V2 = '/cloud/v2/pricing/1/2';

describe('with a price list', () => {
  const server = shared(() => startTestServer({ worker: true, prices: new Prices(LIST) }));
  const ask = async (at: string, body: unknown) => {
    const reply = await server.call('POST', at, { as: 'Users', body });
    expect([at, reply.status]).toEqual([at, 200]);
    return reply.body;
  };
  const hour = async (at: string, body: unknown) => (await ask(at, body)).price_per_hour;

  test('each kind costs what the list says, an hour and a month of 30 days', async () => {
    expect(await ask(`${V1}/floating_ips`, { count: 3 })).toEqual({
      currency_code: 'EUR',
      price_per_hour: 0.009,
      price_per_month: 6.48,
      price_without_discount_per_month: 6.48,
      discount_percent: 0,
      tax_percent: 19,
      price_status: 'show',
    });
    expect(await hour(`${V1}/images`, { size: 10 })).toBe(0.0002);
    expect(await hour(`${V1}/reserved_fixed_ips`, { type: 'external' })).toBe(0.004);
    expect(await hour(`${V1}/volumes`, { source: 'new-volume', size: 100 })).toBe(0.01);
    expect(await hour(`${V1}/loadbalancers`, { flavor: 'lb1-1-2' })).toBe(0.015);
  });

  test('instances cost their flavor, volumes and addresses, each as often as there are', async () => {
    const body = {
      flavor: 'g1-standard-1-2',
      interfaces: [{ type: 'external' }, { type: 'subnet', floating_ip: { source: 'new' } }],
      volumes: [
        { source: 'image', size: 10, type_name: 'standard' },
        { source: 'new-volume', size: 20, type_name: 'standard' },
        { source: 'existing-volume' },
      ],
      names: ['one', 'two'],
    };
    const price = await ask(`${V2}/instances`, body);
    expect(price).toMatchObject({
      per_hour: { flavor: 0.02, external_ip: 0.008, floating_ip: 0.006, volumes: { standard: 0.006 } },
      total_price_per_hour: 0.04,
      total_price_per_month: 28.8,
      vm_count: 2,
      price_status: 'show',
    });
  });

  test('a load balancer costs an address of the internet unless it is in a network', async () => {
    const at = `${V2}/loadbalancers`;
    expect((await ask(at, { flavor: 'lb1-1-2' })).total_price_per_hour).toBe(0.019);
    const inside = { flavor: 'lb1-1-2', vip_network_id: 'a', floating_ip: { source: 'new' } };
    expect((await ask(at, inside)).per_hour).toEqual({ flavor: 0.015, external_ip: 0, floating_ip: 0.003 });
  });

  test('a cluster costs its nodes and their volumes', async () => {
    const pools = [
      { flavor_id: 'g1-standard-2-4', node_count: 3, boot_volume_size: 50, is_public_ipv4: true },
    ];
    const price = await ask(`${V2}/k8s/clusters`, { pools });
    expect(price.instances[0].price_per_hour).toBe(0.06);
    expect(price.volumes[0].price_per_hour).toBe(0.015);
    expect(price.publicips[0].price_per_hour).toBe(0.012);
    expect(price.total_price.price_per_hour).toBe(0.087);
  });

  test('what is there costs what it has', async () => {
    const created = await server.ended(
      await server.call('POST', '/cloud/v1/volumes/1/2', {
        body: { name: 'data', size: 40, source: 'new-volume', type_name: 'standard' },
      }),
    );
    const volume_id = created.created_resources?.volumes?.[0];
    expect(await hour(`${V1}/snapshots`, { volume_id })).toBe(0.002);
    const images = await server.call('GET', '/cloud/v1/images/1/2');
    const volume = { source: 'image', image_id: images.body.results[0].id, size: 40, boot_index: 0 };
    const body = {
      flavor: 'g1-standard-2-4',
      names: ['priced'],
      password: 'correct horse battery 1A!',
      interfaces: [{ type: 'external' }],
      volumes: [{ ...volume, type_name: 'standard' }],
    };
    const instance = await server.ended(await server.call('POST', '/cloud/v2/instances/1/2', { body }));
    const id = instance.created_resources?.instances?.[0];
    expect((await server.call('GET', `${V1}/instances/${id}`)).body.price_per_hour).toBe(0.028);
  });

  test('a cluster that is there, and the snapshots of a policy, have a price', async () => {
    await addSshKey(server);
    await createCluster(server, 'priced');
    const { body } = await server.call('GET', `${V2}/k8s/clusters/priced`);
    expect(body.instances).toEqual([expect.objectContaining({ price_per_hour: 0.03 })]);
    expect((await server.call('GET', `${V2}/k8s/clusters/nowhere`)).status).toBe(404);
    const volume = { name: 'kept', size: 100, source: 'new-volume', type_name: 'standard' };
    const made = await server.ended(await server.call('POST', '/cloud/v1/volumes/1/2', { body: volume }));
    const policy = {
      name: 'daily',
      action: 'volume_snapshot',
      schedules: [{ type: 'cron', hour: '3', max_quantity: 2 }],
      volume_ids: made.created_resources?.volumes,
    };
    expect(await hour(`${V1}/lifecycle_policy`, policy)).toBe(0.01);
    const { schedules, volume_ids } = policy;
    expect(await ask(`${V2}/lifecycle_policy`, { schedules, volume_ids })).toEqual({
      currency_code: 'EUR',
      discount: 0,
      per_hour: { volumes: [{ type: 'standard', price: 0.01, discount: 0 }] },
      per_month: { volumes: [{ type: 'standard', price: 7.2, discount: 0 }] },
      total_price_per_hour: 0.01,
      total_price_per_month: 7.2,
      price_without_discount_per_month: 7.2,
      tax_percent: 19,
      price_status: 'show',
    });
  });

  test('flavors have their prices; one that the list does not name has none, and says so', async () => {
    const { body } = await server.call('GET', '/cloud/v1/flavors/1/2?include_prices=true');
    const of = (id: string) => body.results.find((each: { flavor_id: string }) => each.flavor_id === id);
    expect(of('g1-standard-1-2')).toMatchObject({
      currency_code: 'EUR',
      price_per_hour: 0.01,
      price_per_month: 7.2,
      price_status: 'show',
    });
    expect(of('g1-standard-2-8')).toMatchObject({ price_per_hour: null, price_status: 'error' });
    const body2 = { flavor: 'g1-standard-2-8', interfaces: [{ type: 'external' }] };
    expect(await ask(`${V2}/instances`, body2)).toMatchObject({
      per_hour: { flavor: null, external_ip: 0.004 },
      total_price_per_hour: null,
      price_status: 'error',
    });
  });

  test('every faulty field is named', async () => {
    const faults = async (at: string, body: unknown) => {
      const reply = await server.call('POST', at, { body });
      return [reply.status, Object.keys(reply.body.invalid_fields ?? {}).sort()];
    };
    const instances = {
      flavor: 'none',
      interfaces: [{ type: 'none' }],
      volumes: [{ source: 'new-volume' }, { source: 'snapshot' }],
    };
    expect(await faults(`${V2}/instances`, instances)).toEqual([
      400,
      ['flavor', 'interfaces.0.type', 'volumes.0.size', 'volumes.1.snapshot_id'],
    ]);
    expect(await faults(`${V2}/instances`, { ...instances, interfaces: [] })).toEqual([
      400,
      ['flavor', 'volumes.0.size', 'volumes.1.snapshot_id'],
    ]);
    expect(await faults(`${V1}/volumes`, { source: 'new-volume' })).toEqual([400, ['size']]);
    const odd = { source: 'new-volume', size: 1, type_name: 'constructor' };
    expect(await faults(`${V1}/volumes`, odd)).toEqual([400, ['type_name']]);
    const snapshot_id = '3b1f9a52-6c0e-4d83-9a77-2f5c8e1d0b36';
    const unknown = { source: 'snapshot', snapshot_id };
    expect(await faults(`${V1}/volumes`, unknown)).toEqual([400, ['snapshot_id']]);
    expect(await faults(`${V2}/loadbalancers`, { flavor: 'none' })).toEqual([400, ['flavor']]);
    expect(await faults(`${V2}/k8s/clusters`, { pools: [{ flavor_id: 'none' }] })).toEqual([
      400,
      ['pools.0.flavor_id'],
    ]);
  });
});

test('without a price list prices are null and hidden', async () => {
  const prices = new Prices();
  expect(prices.item(prices.perHour({ kind: 'floatingip' }))).toEqual({
    currency_code: null,
    price_per_hour: null,
    price_per_month: null,
    price_without_discount_per_month: null,
    discount_percent: null,
    tax_percent: 0,
    price_status: 'hide',
  });
});

test('a name that every object has is no rate', () => {
  const prices = new Prices({ currency: 'USD', per_hour: { flavors: {}, volume_gib: {} } });
  expect(prices.perHour({ kind: 'instance', flavor: 'constructor' })).toBeNull();
  expect(prices.perHour({ kind: 'volume', type: 'toString', gib: 1 })).toBeNull();
});

test('a month is 720 hours of what an hour costs, for any price', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1000, noNaN: true }), (floating_ip) => {
      const prices = new Prices({ currency: 'USD', per_hour: { floating_ip } });
      const { price_per_hour, price_per_month } = prices.item(prices.perHour({ kind: 'floatingip' }));
      expect(price_per_month).toBeCloseTo((price_per_hour ?? 0) * 720, 4);
    }),
  );
});

test('a price list with faults names them', () => {
  const folder = newFolder('server');
  const file = path.join(folder, 'prices.json');
  const read = (content: unknown) => {
    writeFileSync(file, JSON.stringify(content));
    return () => readPriceList(file);
  };
  expect(read(LIST)()).toEqual(LIST);
  expect(read({ currency: 'XYZ', per_hour: { flavors: { a: -1 }, flavours: {} } })).toThrow(
    /VIRGA_PRICES: .*currency.*flavors/s,
  );
  expect(() => readPriceList('/nowhere/prices.json')).toThrow(
    'VIRGA_PRICES: /nowhere/prices.json cannot be read',
  );
});
