import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** What pages say is true: what does not do its work is not shown as well, and what a region lacks says why. */
export function stateStories(portal: Portal): void {
  const attention = () => portal.page.locator('[data-card]', { hasText: 'Needs attention' });

  test('a load balancer that nobody can connect to needs attention, in every region of the project', async () => {
    const { page, virga } = portal;
    await virga.ended(await virga.call('POST', '/cloud/v1/loadbalancers/1/2', { name: 'mute' }));
    await portal.go(1, '');
    const line = attention().getByRole('listitem').filter({ hasText: 'mute' });
    await line.getByText('mute in Simulated: It has no listener: nobody can connect to it').waitFor();
    await line.getByRole('link', { name: 'mute' }).click();
    await page.getByRole('heading', { name: /mute/ }).getByText('No listeners').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Load balancers' }).click();
    await page.getByRole('row', { name: /mute No listeners/ }).waitFor();
  });

  test('a quota at its threshold needs attention', async () => {
    const limits = (firewall_count_limit: number) =>
      portal.asOperator('PATCH', '/virga/v1/clients/1/quotas', {
        regional_limits: [{ region_id: 2, firewall_count_limit }],
      });
    await portal.virga.ended(
      await portal.virga.call('POST', '/cloud/v2/security_groups/1/2', { name: 'full' }),
    );
    const before = (await portal.virga.call('GET', '/cloud/v2/client_quotas')).body.regional_quotas;
    const here = before.find(({ region_id }: { region_id: number }) => region_id === 2);
    await limits(here.firewall_count_usage);
    await portal.go(2, '');
    await attention()
      .getByText(/Security groups: All \d+ are in use: no more can be created/)
      .waitFor();
    await limits(here.firewall_count_limit);
    await portal.go(2, '');
    await attention().getByText('mute').waitFor();
    expect(await attention().getByText('Security groups').count()).toBe(0);
  });

  test('the bell says what somebody was notified of, with marks that stay over a reload', async () => {
    const { page, virga } = portal;
    const limits = (firewall_count_limit: number) =>
      portal.asOperator('PATCH', '/virga/v1/clients/1/quotas', {
        regional_limits: [{ region_id: 2, firewall_count_limit }],
      });
    const { body: before } = await virga.call('GET', '/cloud/v2/client_quotas');
    const here = before.regional_quotas.find(({ region_id }: { region_id: number }) => region_id === 2);
    await virga.call('POST', '/virga/v1/notifications/read', { up_to: Number.MAX_SAFE_INTEGER });
    await portal.go(2, '');
    await page.getByRole('button', { name: 'Notifications: Nothing new' }).waitFor();
    await limits(here.firewall_count_usage + 1);
    await virga.ended(await virga.call('POST', '/cloud/v2/security_groups/1/2', { name: 'last' }));
    // The page hears of it by itself.
    await page.getByRole('button', { name: 'Notifications: 1 not read' }).click();
    const bell = page.getByRole('dialog', { name: 'Notifications' });
    await bell
      .getByText(/^Quota usage of .* has reached/)
      .first()
      .waitFor();
    await bell.getByText('The mail').first().click();
    await bell
      .getByText(/security groups in Simulated: \d+ of \d+/)
      .first()
      .waitFor();
    expect(await portal.barriers()).toEqual([]);
    await bell.getByRole('button', { name: /^Mark as read: Quota usage/ }).click();
    await bell.locator('button[aria-disabled=true]', { hasText: 'Mark all as read' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Notifications: Nothing new' }).waitFor();
    await limits(here.firewall_count_limit);
  });

  test('what a region does not have says why on its page, and cannot be begun', async () => {
    const { page } = portal;
    await portal.go(1, 'instances');
    await page.getByRole('heading', { name: 'Not in this region' }).waitFor();
    await page
      .getByText(/The region Local has no instances\. Choose a region that has: Simulated\./)
      .first()
      .waitFor();
    const create = page.getByRole('button', { name: 'Create instance' });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    expect(await portal.barriers()).toEqual([]);
  });

  test('an address that leads nowhere keeps the frame', async () => {
    const { page } = portal;
    for (const address of ['/projects/1/regions/2/no-such-page', '/account/no-such-page']) {
      await page.goto(`${portal.virga.url}${address}`);
      await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Load balancers' }).waitFor();
    }
  });
}
