import { expect } from 'vitest';
import { project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { anImage, instanceBody } from './bodies.ts';

/** A server with a network, and what tests of instances do over and over. Region 2 is simulated and instant. */

const QUOTAS = [
  'vm_count',
  'cpu_count',
  'ram',
  'volume_count',
  'volume_size',
  'external_ip_count',
  'floating_count',
  'gpu_virtual_a100_count',
] as const;
export type Usage = Readonly<Record<string, number>>;

export async function startInstances() {
  const server = await startTestServer();
  const { call, finished, make } = project(() => server);
  const get = (path: string) => call('GET', path);

  async function usage(): Promise<Usage> {
    const { body } = await get('/cloud/v2/regional_quotas/1/2');
    return Object.fromEntries(QUOTAS.map((name) => [name, body[`${name}_usage`]]));
  }

  /** What counts more or less than before. */
  async function used(before: Usage): Promise<Usage> {
    const now = await usage();
    const changed = QUOTAS.filter((name) => now[name] !== before[name]);
    return Object.fromEntries(changed.map((name) => [name, (now[name] ?? 0) - (before[name] ?? 0)]));
  }

  /** Sets limits of region 2. */
  async function limit(limits: Usage): Promise<void> {
    const regional_limits = [{ region_id: 2, ...limits }];
    const options = { as: 'operator', body: { regional_limits } } as const;
    expect((await server.call('PATCH', '/virga/v1/clients/1/quotas', options)).status).toBe(200);
  }

  const image = await anImage(get);
  const network_id = await make('networks', { name: 'net' });
  const subnet = { name: 'sub', network_id, cidr: '192.168.10.0/24' };
  const subnet_id = await make('subnets', subnet);
  const network = { network_id, subnet_id };
  const instance = (more: object = {}) => make('instances', instanceBody(image, { ...more }));
  return { server, call, get, finished, make, usage, used, limit, image, network, instance };
}
export type InstanceFixture = Awaited<ReturnType<typeof startInstances>>;
