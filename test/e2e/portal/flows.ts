import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** From making something to its end, and what stands around every page. */
export function flowStories(portal: Portal): void {
  const dialog = () => portal.page.getByRole('dialog');

  test('a cluster is made, gets another pool, and each is resized and deleted on its page', async () => {
    const { page, virga } = portal;
    await virga.call('POST', '/cloud/v1/ssh_keys/1', { name: 'for-pools' });
    await portal.go(2, 'kubernetes?new=1');
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('bistro');
    await portal.choose('SSH key', 'for-pools');
    await dialog().getByRole('button', { name: 'Create cluster' }).click();
    await page.waitForURL('**/kubernetes/bistro');
    await page.getByRole('heading', { name: /bistro Provisioned/ }).waitFor();
    await page.getByText('kubectl --kubeconfig bistro.kubeconfig get nodes').waitFor();
    await page.getByText(/^https:\/\/[0-9.]+:6443$/).waitFor();
    const head = page.getByRole('button', { name: 'Actions' }).first();
    const pool = page
      .locator('[data-card]')
      .filter({ has: page.getByRole('heading', { name: 'ovens', exact: true }) });
    await head.click();
    await page.getByRole('menuitem', { name: 'Add pool…' }).click();
    await dialog().getByRole('textbox', { name: 'Name' }).fill('ovens');
    expect(await portal.barriers()).toEqual([]);
    await dialog().getByRole('button', { name: 'Add pool' }).click();
    const act = async (verb: string | RegExp) => {
      await pool.getByRole('button', { name: 'Actions' }).click();
      await page.locator('[role=menuitem]:not([data-disabled])', { hasText: verb }).click();
    };
    await pool.getByText('Running').first().waitFor();
    await page.getByRole('heading', { name: /bistro Provisioned/ }).waitFor();
    await act('Resize…');
    await dialog().getByLabel('Nodes').fill('3');
    await dialog().getByRole('button', { name: 'Resize' }).click();
    const cluster = '/cloud/v2/k8s/clusters/1/2/bistro';
    const settled = () =>
      expect.poll(async () => (await virga.call('GET', cluster)).body.task_id ?? null).toBeNull();
    const pools = () => virga.call('GET', `${cluster}/pools`);
    const ovens = async () =>
      (await pools()).body.results.find(({ name }: { name: string }) => name === 'ovens');
    await expect.poll(async () => (await ovens())?.node_count).toBe(3);
    await settled();
    // The page may ask for its nodes in the moment in which it goes.
    portal.expected.add('404 GET /cloud/v2/k8s/clusters/1/2/bistro/pools/ovens/instances');
    await act('Delete…');
    await page.getByLabel('Type ovens to delete it').fill('ovens');
    await dialog().getByRole('button', { name: 'Delete pool' }).click();
    await pool.waitFor({ state: 'detached' });
    await settled();
    await page.getByRole('heading', { name: /bistro Provisioned/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    await head.click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel('Type bistro to delete it').fill('bistro');
    await dialog().getByRole('button', { name: 'Delete cluster' }).click();
    await page.waitForURL('**/kubernetes');
  });

  test('the bar fits a small screen, remembers what is folded, and shows operators’ pages to them alone', async () => {
    const { page } = portal;
    await portal.go(2, 'networks');
    const bar = page.getByRole('navigation', { name: 'Pages' }).first();
    const side = page.locator('aside').first();
    await bar.getByRole('link', { name: 'Instances' }).waitFor();
    expect(await side.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
    expect(await bar.getByText('Operator').count()).toBe(0);
    await bar.getByRole('button', { name: 'Compute' }).click();
    await bar.getByRole('button', { name: 'Delivery' }).click();
    await page.reload();
    await bar.getByRole('link', { name: 'Video' }).waitFor();
    expect(await bar.getByRole('link', { name: 'Instances' }).count()).toBe(0);
    await bar.getByRole('button', { name: 'Compute' }).click();
    await page.getByRole('button', { name: 'Account and appearance' }).click();
    await page.getByRole('menuitem', { name: 'For operators' }).click();
    await bar.getByRole('link', { name: 'Outbox' }).waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('? shows what keys do, except to who writes', async () => {
    const { page } = portal;
    await portal.go(2, 'networks');
    await page.getByRole('cell').first().waitFor();
    await page.keyboard.press('?');
    const shown = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shown.getByText('Next and previous row').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    const filter = page.getByRole('textbox', { name: 'Name' });
    await filter.press('?');
    expect(await filter.inputValue()).toBe('?');
    expect(await shown.count()).toBe(0);
  });
}
