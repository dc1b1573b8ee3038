import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** What reaches people outside: pages of the protection, signed video, warnings about storage. */
export function deliveryStories(portal: Portal): void {
  test('six pages are seen as they are written, and kept', async () => {
    const { page } = portal;
    await portal.go(1, 'response-pages/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop pages');
    await page.getByRole('textbox', { name: 'Header' }).fill('Stop right here');
    const shown = page.frameLocator('iframe[title=Blocked]');
    await shown.getByText('Stop right here').waitFor();
    expect(await page.locator('iframe').count()).toBe(6);
    expect(await portal.barriers()).toEqual([]);
    await portal.picture('response-pages');
    // Pressed twice it makes one set, also while the page that follows is fetched: a second link would be refused here.
    let goOn = () => {};
    const looked = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/assets/*.js', async (route) => {
      await looked;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await page.getByText('Saved').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    goOn();
    await page.getByRole('link', { name: 'Shop pages' }).waitFor();
    await page.unrouteAll();
  });

  test('a form that opens takes the focus from nobody who is in one of its fields', async () => {
    const { context } = portal;
    const page = await portal.newPage(context);
    // A machine that is so busy that what was to happen at once happens while somebody writes.
    await page.addInitScript(`{
      const soon = window.setTimeout;
      window.setTimeout = (run, ms = 0, ...rest) => soon(run, ms + 500, ...rest);
    }`);
    await portal.go(1, 'storage?new=1', page);
    const storage = page.getByRole('dialog').getByRole('combobox', { name: 'Storage' });
    await storage.focus();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(await storage.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await page.close();
  });

  test('a threshold is drawn against what is used, and says that it was notified', async () => {
    const { page, virga } = portal;
    await portal.go(1, 'storage?new=1');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Storage' }).fill('media');
    await page.getByLabel('Threshold in GiB').fill('10');
    await page.getByRole('button', { name: 'Set threshold' }).last().click();
    await page.getByRole('cell', { name: 'media, all of it' }).waitFor();
    const report = {
      id: 'one',
      to: new Date().toISOString(),
      buckets: [{ bucket_name: 'photos', used_space: 11e9 }],
    };
    await virga.call('POST', '/virga/v1/clients/1/storages/media/usage_reports', report, {
      authorization: `APIKey ${portal.credential('OPERATOR_TOKEN')}`,
    });
    await page.reload();
    await page.getByLabel('notified').waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('each part of a signed address is explained, and what the edge answers', async () => {
    const { page, virga } = portal;
    await portal.go(1, 'video');
    await page.getByRole('textbox', { name: 'Video' }).fill('film');
    await page.getByRole('button', { name: 'Get an address' }).click();
    await page.getByText('Account 1, video film').waitFor();
    await page.getByLabel('Time until it expires').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await portal.go(1, '');
    await page.getByRole('heading', { name: 'default in Local' }).waitFor();
    // The edge is the one host that a page asks beside the server itself.
    const { body } = await virga.call('GET', '/video/token?video=film');
    portal.hosts.delete(new URL(body.url).host);
  });

  test('those who run the cloud see its clients and mail with their own token', async () => {
    const { page, virga } = portal;
    await page.goto(`${virga.url}/operator/outbox`);
    await page.getByRole('textbox', { name: 'Token' }).fill(portal.credential('OPERATOR_TOKEN'));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('cell', { name: 'You are invited' }).waitFor();
    await page.getByRole('link', { name: 'Clients' }).click();
    await page.getByRole('cell', { name: 'Virga', exact: true }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.reload();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
  });

  test('pages are readable in the dark and in a narrow window', async () => {
    const { page } = portal;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const target of ['', 'load-balancers/new', 'instances', 'security-groups', 'storage', 'quotas']) {
      await portal.go(2, target);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await portal.barriers(), target).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), target).toBe(390);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
  });
}
