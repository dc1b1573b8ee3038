import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** The project as one picture: it is the way to begin, and everything on it leads to its page. */
export function mapStories(portal: Portal): void {
  const map = () => portal.page.locator('[data-card]', { hasText: 'Map' }).first();

  test('an empty project offers what can be made, and says which region is simulated', async () => {
    const { page, virga } = portal;
    const { body } = await virga.call('POST', '/cloud/v1/projects', { name: 'blank' });
    await page.goto(`${virga.url}/projects/${body.id}/regions/2`);
    await map().getByText('Nothing is here yet').waitFor();
    await map().getByText('Simulated: simulated, nothing in it is real').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await map()
      .getByRole('link', { name: /Load balancer/ })
      .click();
    await page.getByRole('heading', { name: 'Create load balancer' }).waitFor();
  });

  test('what there is in all regions is drawn, found and opened', async () => {
    const { page, virga } = portal;
    const front = {
      name: 'counter',
      listeners: [
        {
          name: 'http',
          protocol: 'HTTP',
          protocol_port: 80,
          pools: [
            {
              name: 'clerks',
              protocol: 'HTTP',
              lb_algorithm: 'ROUND_ROBIN',
              members: [{ address: '10.0.0.1', protocol_port: 80 }],
            },
          ],
        },
      ],
    };
    await virga.ended(await virga.call('POST', '/cloud/v1/loadbalancers/1/2', front));
    await portal.go(1, '');
    const box = (name: string) => map().locator('[data-node]').filter({ hasText: name });
    await box('counter').waitFor();
    await box('clerks').getByText('1 of 1 online · Simulated').waitFor();
    await map().locator('[data-node$=" members"]').getByText('1 of 1 online').waitFor();
    await map().getByRole('searchbox', { name: 'Find on the map' }).fill('clerks');
    await expect.poll(() => box('counter').getAttribute('data-dim')).toBe('true');
    expect(await box('clerks').getAttribute('data-dim')).toBe('false');
    expect(await portal.barriers()).toEqual([]);
    await box('clerks').click();
    await page.getByRole('heading', { name: /counter/ }).waitFor();
    expect(page.url()).toContain('/regions/2/load-balancers/');
  });

  test('traffic goes from an address to instances and their network, and databases stand beside it', async () => {
    const { page, virga } = portal;
    const { body: project } = await virga.call('POST', '/cloud/v1/projects', { name: 'Atlas' });
    const made = async (path: string, body: object) => {
      const task = await virga.ended(await virga.call('POST', path, body));
      expect(task.error).toBeNull();
      return task.created_resources?.[path.split('/')[3] ?? '']?.[0];
    };
    const first = async (path: string) => (await virga.call('GET', path)).body.results[0];
    const network = await made(`/cloud/v1/networks/${project.id}/2`, { name: 'backend' });
    const range = { name: 'backend-a', network_id: network, cidr: '10.20.0.0/24' };
    const subnet = await made(`/cloud/v1/subnets/${project.id}/2`, range);
    const image = await first(`/cloud/v1/images/${project.id}/2`);
    const flavor = await first(`/cloud/v1/flavors/${project.id}/2`);
    const members = await Promise.all(
      ['web-1', 'web-2', 'web-3'].map(async (name) => {
        const instance_id = await made(`/cloud/v2/instances/${project.id}/2`, {
          name,
          flavor: flavor.flavor_id,
          interfaces: [{ type: 'subnet', network_id: network, subnet_id: subnet }],
          volumes: [{ source: 'image', image_id: image.id, size: 20, boot_index: 0 }],
        });
        const { body } = await virga.call('GET', `/cloud/v1/instances/${project.id}/2/${instance_id}`);
        return { address: body.addresses.backend[0].addr, protocol_port: 80, instance_id };
      }),
    );
    const pool = { name: 'web', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members };
    const balancer = await made(`/cloud/v1/loadbalancers/${project.id}/2`, {
      name: 'store',
      vip_network_id: network,
      vip_subnet_id: subnet,
      listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 80, pools: [pool] }],
    });
    const { body: store } = await virga.call('GET', `/cloud/v1/loadbalancers/${project.id}/2/${balancer}`);
    const address = await made(`/cloud/v1/floatingips/${project.id}/2`, { port_id: store.vip_port_id });
    const { body } = await virga.call('GET', `/cloud/v1/floatingips/${project.id}/2/${address}`);
    await virga.call('PUT', `/cloud/v1/dbaas/status/${project.id}/2`, { is_initialized: true });
    await made(`/cloud/v1/dbaas/postgres/clusters/${project.id}/2`, {
      cluster_name: 'orders',
      flavor: { cpu: 1, memory_gib: 2 },
      network: { network_type: 'public', acl: ['127.0.0.0/8'] },
      pg_server_configuration: { version: '18', pg_conf: '', pooler: null },
      high_availability: null,
      storage: { size_gib: 10, type: 'standard' },
      users: [{ name: 'app', role_attributes: ['LOGIN'] }],
      databases: [{ name: 'shop', owner: 'app' }],
    });
    await page.goto(`${virga.url}/projects/${project.id}/regions/2`);
    const box = (name: string) => map().locator('[data-node]').filter({ hasText: name });
    for (const name of [body.floating_ip_address, 'store', 'web-1', 'web-2', 'web-3', 'backend', 'orders'])
      await box(name).first().waitFor();
    await portal.picture('map');
    await box('backend').hover();
    await expect.poll(() => box('orders').getAttribute('data-dim')).toBe('true');
    for (const name of [body.floating_ip_address, 'store', 'web-2'])
      expect(await box(name).first().getAttribute('data-dim')).toBe('false');
  });
}
