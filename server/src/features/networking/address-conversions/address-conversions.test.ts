import { expect, test } from 'vitest';
import { NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { RESERVED } from '../testing/paths.ts';

/** Floating IPs become reserved fixed IPs, and the other way round. */

const FIPS = '/cloud/v1/floatingips/1/2';

const server = shared(startTestServer);

const { call, finished, make, read } = project(() => server);

async function usage() {
  const { floating_count_usage, external_ip_count_usage } = await read('/cloud/v2/regional_quotas/1/2');
  return { floating: floating_count_usage as number, external: external_ip_count_usage as number };
}

const toReserved = (id: string) =>
  call('POST', `${FIPS}/${id}/convert`, { target_type: 'reserved_fixed_ip' });
const toFloating = (id: string) => call('POST', `${RESERVED}/${id}/convert`, { target_type: 'floating_ip' });

test('an address becomes a reserved one and a floating one again, and stays what it is', async () => {
  const before = await usage();
  const id = await make('floatingips', { tags: { env: 'prod' } });
  const { floating_ip_address: address } = await read(`${FIPS}/${id}`);
  const task = await finished(await toReserved(id));
  expect(task.task_type).toBe('convert_fip');
  const port = String(task.created_resources?.ports?.[0]);
  expect((await call('GET', `${FIPS}/${id}`)).status).toBe(404);
  const reserved = await read(`${RESERVED}/${port}`);
  expect(reserved).toMatchObject({
    fixed_ip_address: address,
    is_external: true,
    is_vip: false,
    status: 'DOWN',
    task_id: null,
    creator_task_id: task.id,
  });
  expect(reserved.network.subnets).toContain(reserved.subnet_id);
  expect((await read(`/cloud/v1/ports/1/2/${port}`)).tags).toEqual({ env: 'prod' });
  expect(await usage()).toEqual({ floating: before.floating, external: before.external + 1 });
  const back = await finished(await toFloating(port));
  expect(back.task_type).toBe('convert_reserved_fixed_ip');
  const again = String(back.created_resources?.floatingips?.[0]);
  expect(await read(`${FIPS}/${again}`)).toMatchObject({
    floating_ip_address: address,
    status: 'DOWN',
    metadata: [{ key: 'env', value: 'prod', read_only: false }],
    task_id: null,
  });
  expect((await call('GET', `${RESERVED}/${port}`)).status).toBe(404);
  expect(await usage()).toEqual({ floating: before.floating + 1, external: before.external });
});

test('what is in use, inside a network or of IPv6 cannot be converted', async () => {
  const network = await make('networks', { name: 'net' });
  const body = { name: 'sub', network_id: network, cidr: '10.4.0.0/24' };
  const subnet_id = await make('subnets', body);
  const inside = await make('reserved_fixed_ips', { type: 'subnet', subnet_id });
  const external = await make('reserved_fixed_ips', { type: 'external' });
  const floating = await make('floatingips', { port_id: external });
  const before = await usage();
  expect(await toReserved(floating)).toMatchObject({
    status: 409,
    body: { message: `Floating IP ${floating} is assigned to port ${external}; unassign it first` },
  });
  expect(await toFloating(inside)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(`it belongs to network ${network}`) },
  });
  expect(await toFloating(external)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(`floating IP ${floating} leads to it`) },
  });
  for (const [ip_family, why] of [
    ['ipv6', 'it is not of IPv4'],
    ['dual', 'it has an IPv6 address too'],
  ]) {
    const port = await make('reserved_fixed_ips', { type: 'external', ip_family });
    const refused = await toFloating(port);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(String(why))]);
    await server.ended(await call('DELETE', `${RESERVED}/${port}`));
  }
  expect((await toReserved(NOWHERE)).status).toBe(404);
  expect((await toFloating(NOWHERE)).status).toBe(404);
  expect((await call('POST', `${FIPS}/${floating}/convert`, { target_type: 'router' })).status).toBe(400);
  expect(await usage()).toEqual(before);
});

test('a quota that is used up refuses it, and the address stays what it is', async () => {
  const id = await make('floatingips', {});
  const { external } = await usage();
  const limit = (value: number) =>
    server.call('PATCH', '/virga/v1/clients/1/quotas', {
      as: 'operator',
      body: { regional_limits: [{ region_id: 2, external_ip_count_limit: value }] },
    });
  await limit(external);
  expect(await toReserved(id)).toMatchObject({
    status: 403,
    body: { exception_class: 'QuotaLimitExceed', info: { attribute: 'external_ip_count' } },
  });
  await limit(1000);
  expect(await read(`${FIPS}/${id}`)).toMatchObject({ task_id: null });
});
