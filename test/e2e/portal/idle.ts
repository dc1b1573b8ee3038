import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** A page that nobody touches hears of changes on the stream, and hardly asks. */
export function idleStories(portal: Portal): void {
  test('the overview asks at most once in 30 s, and still turns red when a node fails', async () => {
    const { virga } = portal;
    await virga.call('POST', '/cloud/v1/ssh_keys/1', { name: 'idle' });
    const scope = '/cloud/v2/k8s';
    const { body: versions } = await virga.call('GET', `${scope}/1/2/create_versions`);
    const { body: flavors } = await virga.call('GET', '/cloud/v1/k8s/1/2/flavors');
    const pool = {
      name: 'few',
      flavor_id: flavors.results[0].flavor_id,
      min_node_count: 1,
      auto_healing_enabled: false,
    };
    const cluster = { name: 'quiet', version: versions.results[0].version, keypair: 'idle', pools: [pool] };
    await virga.ended(await virga.call('POST', `${scope}/clusters/1/2`, cluster));
    const page = await portal.newPage(portal.context);
    await page.clock.install();
    await portal.go(2, '', page);
    const node = page.locator('[data-node]').filter({ hasText: 'quiet' });
    await node.getByText('cluster, 1 of 1 ready').waitFor();
    await page.locator('[data-card]', { hasText: 'Needs attention' }).locator('li, p').first().waitFor();
    await page.clock.runFor(2_000);
    const requested: string[] = [];
    page.on('request', (request) => void requested.push(new URL(request.url()).pathname));
    await page.clock.runFor(30_000);
    expect(requested.length).toBeLessThanOrEqual(1);
    const { body: nodes } = await virga.call('GET', `${scope}/clusters/1/2/quiet/instances`);
    const told = `/virga/v1/simulation/2/k8s_nodes/${nodes.results[0].id}`;
    expect((await portal.asOperator('PUT', told, { condition: 'NotReady' })).status).toBe(200);
    await page.clock.resume();
    await node.getByText('cluster, 0 of 1 ready').waitFor({ timeout: 15_000 });
    await page
      .locator('[data-card]', { hasText: 'Needs attention' })
      .getByRole('link', { name: 'quiet' })
      .first()
      .waitFor();
    await portal.go(2, 'kubernetes/quiet', page);
    await page.getByRole('heading', { name: 'Nodes that are not ready' }).waitFor();
    await page.getByText(/The cluster hears nothing from it.*delete it, and a new one comes/).waitFor();
    expect(await portal.barriers(page)).toEqual([]);
    await page.close();
  });
}
