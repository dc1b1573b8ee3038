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
    await portal.choose('Where it is from', 'A network, on any of its subnets');
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
}
