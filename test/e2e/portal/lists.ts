import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

const NETWORKS = '/cloud/v1/networks/1/2';
const LONG = `a-${'very-'.repeat(10)}long-name`;

/** Lists as people read them: long names, long lists, and the way back. */
export function listStories(portal: Portal): void {
  test('one long name pushes no column out, and heads stay while the list is scrolled', async () => {
    const { page, virga } = portal;
    const tasks = [];
    for (const name of [LONG, ...Array.from({ length: 30 }, (_, index) => `net-${index}`)])
      tasks.push(await virga.call('POST', NETWORKS, { name, create_router: false }));
    for (const task of tasks) await virga.ended(task);
    await portal.go(2, 'networks');
    await page.getByText(LONG).waitFor();
    const frame = page.locator('[data-fits]').first();
    expect(await frame.getAttribute('data-fits')).toBe('true');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440);
    await page.mouse.wheel(0, 900);
    await page.waitForFunction('scrollY > 300');
    const head = page.getByRole('columnheader', { name: 'Name' });
    const top = await page.locator('header').first().boundingBox();
    expect(Math.round((await head.boundingBox())?.y ?? 0)).toBe(Math.round(top?.height ?? 0));
    expect(await portal.barriers()).toEqual([]);
  });

  test('back from what was opened with keys, the focus is where it was', async () => {
    const { page } = portal;
    await portal.go(2, 'networks');
    const link = page.getByRole('link', { name: 'net-7', exact: true });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'net-7' }).waitFor();
    await page.goBack();
    await link.waitFor();
    await page.waitForFunction(`document.activeElement?.textContent === 'net-7'`);
  });

  test('a choice among more than are offered at once is searched on the server', async () => {
    const { page } = portal;
    await portal.go(2, 'reserved-ips?new=1');
    await portal.choose('Source', 'A network, on any of its subnets');
    const field = page.getByRole('combobox', { name: 'Network' });
    // The newest stands there until another is chosen.
    await expect.poll(() => field.inputValue()).toBe('net-29');
    const searched = page.waitForResponse((answer) => answer.url().includes('name__contains=net-1'));
    await field.fill('net-1');
    await searched;
    await page.getByRole('option', { name: 'net-13' }).click();
    await expect.poll(() => field.inputValue()).toBe('net-13');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('a view is named, kept over a reload, shown again and removed', async () => {
    const { page } = portal;
    await portal.go(2, 'networks');
    await page.getByRole('textbox', { name: 'Name' }).fill('net-2');
    await page.waitForURL(/name=net-2/);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('textbox', { name: 'Save this view as' }).fill('Twenties');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Views: Twenties' }).waitFor();
    // Of another region it is the same list.
    await portal.go(1, 'networks?name=other');
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Twenties', exact: true }).click();
    await page.waitForURL(/name=net-2/);
    await page.getByRole('button', { name: 'Views: Twenties' }).click();
    await page.getByRole('button', { name: 'Remove view Twenties' }).click();
    await page.getByText('A view keeps the filters').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
  });

  test('several rows are deleted after one question, and each says what became of it', async () => {
    const { page, virga } = portal;
    const { body: networks } = await virga.call('GET', `${NETWORKS}?name=net-5`);
    const [busy] = networks.results;
    const subnet = {
      name: 'in-use',
      network_id: busy.id,
      cidr: '10.77.0.0/24',
      connect_to_network_router: false,
    };
    await virga.ended(await virga.call('POST', '/cloud/v1/subnets/1/2', subnet));
    const address = { type: 'any_subnet', network_id: busy.id };
    await virga.ended(await virga.call('POST', '/cloud/v1/reserved_fixed_ips/1/2', address));
    await portal.go(2, 'networks?name=net-');
    for (const name of ['net-5', 'net-6', 'net-7'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await page.getByText('3 selected').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Delete 3…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete these 3?' });
    for (const name of ['net-5', 'net-6', 'net-7']) await dialog.getByText(name, { exact: true }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    // One of them carries addresses.
    await dialog.getByRole('textbox', { name: 'Type delete 3 to delete them' }).fill('delete 3');
    portal.expected.add(`409 DELETE ${NETWORKS}/${busy.id}`);
    await dialog.getByRole('button', { name: 'Delete 3', exact: true }).click();
    const done = page.getByRole('dialog', { name: 'Delete 3' });
    await done.getByText('2 of 3 done, 1 failed').waitFor();
    await done.locator('li', { hasText: 'net-5' }).getByText('Failed').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await done.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'net-6', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'net-5', exact: true }).waitFor();
  });
}
