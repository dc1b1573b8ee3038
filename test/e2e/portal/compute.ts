import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** A machine from nothing to gone, with a volume of its own. */
export function computeStories(portal: Portal): void {
  test('an instance is made from an image, stopped and started', async () => {
    const { page } = portal;
    await portal.go(2, 'instances');
    await page.getByRole('link', { name: 'Create instance' }).first().click();
    // Until then the list stands there, which has a field of that name.
    await page.getByRole('heading', { name: 'Create instance' }).waitFor();
    await page.getByLabel('Name').fill('bakery');
    await portal.choose('SSH key', 'laptop');
    await page.getByRole('button', { name: 'Add volume' }).click();
    await page.getByText('bakery-data-1', { exact: true }).waitFor();
    await portal.picture('create-instance');
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Create instance' }).click();
    await page.getByRole('heading', { name: /bakery/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: /Stopped/ }).waitFor();
  });

  test('what cannot be done now says why', async () => {
    const { page } = portal;
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByText('It must be ACTIVE; it is SHUTOFF').first().waitFor();
    await page.getByRole('menuitem', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: /Active/ }).waitFor();
  });

  test('a volume is made, attached and kept in a snapshot', async () => {
    const { page } = portal;
    await portal.go(2, 'volumes?new=1');
    await page.getByLabel('Name').last().fill('flour');
    await page.getByRole('button', { name: 'Create volume' }).click();
    await page.getByRole('link', { name: 'Done. Open it' }).click();
    await page.getByRole('heading', { name: /flour/ }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Attach…' }).click();
    const target = page.getByRole('dialog').getByRole('combobox', { name: 'Instance' });
    await expect.poll(() => target.inputValue(), { message: 'the first is chosen' }).toMatch(/bakery/);
    await page.getByRole('dialog').getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('link', { name: 'bakery' }).waitFor();
    await page.getByRole('button', { name: 'Take snapshot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take snapshot' }).click();
    await page.getByRole('cell', { name: 'flour-snapshot', exact: true }).waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('a fault of the API lands on its field', async () => {
    const { page } = portal;
    portal.expected.add('400 POST /cloud/v1/volumes/1/2');
    await portal.go(2, 'volumes?new=1');
    await page.getByLabel('Name').last().fill('x'.repeat(300));
    await page.getByRole('button', { name: 'Create volume' }).click();
    const name = page.locator('input[aria-invalid=true]');
    await name.waitFor();
    expect(await name.inputValue()).toHaveLength(300);
    expect(await portal.barriers()).toEqual([]);
  });
}
