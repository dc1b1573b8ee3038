import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Portal } from './portal/harness.ts';

/** What people do most, without a mouse: from signing in to deleting what they have made. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = new Portal();

beforeAll(() => portal.start());
afterAll(() => portal.stop());

const press = (key: string) => portal.page.keyboard.press(key);
const type = (text: string) => portal.page.keyboard.type(text);
const dialog = () => portal.page.getByRole('dialog');
/** An element of the page, as far as it is asked here. */
interface Asked {
  readonly ownerDocument: { readonly activeElement: unknown };
  contains(other: unknown): boolean;
}
interface Styles {
  getComputedStyle(of: unknown): { readonly fontWeight: string };
}
const has = (target: Locator) =>
  target.evaluate((element) => (element as unknown as Asked).ownerDocument.activeElement === element);
const holdsFocus = (target: Locator) =>
  target.evaluate((element) => {
    const asked = element as unknown as Asked;
    return asked.contains(asked.ownerDocument.activeElement);
  });
const focused = (target: Locator) => expect.poll(() => has(target)).toBe(true);

/** Goes on with Tab until something has the focus. */
async function tabTo(target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let i = 0; i < 90; i += 1) {
    if (await has(target)) return;
    await press(key);
  }
  expect.fail(`Tab does not reach ${target}`);
}

/** From the row that has the focus, opens its menu and runs an entry. */
async function act(name: string): Promise<void> {
  await press('Tab');
  await press('Enter');
  const entry = portal.page.getByRole('menuitem', { name });
  await tabTo(entry, 'ArrowDown');
  await press('Enter');
}

/** A dialog keeps the focus however far one goes on, and forward as well as back. */
async function keepsFocus(): Promise<void> {
  await expect.poll(() => holdsFocus(dialog())).toBe(true);
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let i = 0; i < 15; i += 1) {
      await press(key);
      expect(await holdsFocus(dialog()), `${key}, ${i}`).toBe(true);
    }
  }
}

async function gone(): Promise<void> {
  await dialog().waitFor({ state: 'detached' });
}

test('somebody signs in', async () => {
  const { page, virga } = portal;
  await page.goto(`${virga.url}/sign-in`);
  await tabTo(page.getByLabel('Email address'));
  await type(portal.credential('EMAIL'));
  await tabTo(page.getByRole('textbox', { name: 'Password' }));
  await type(portal.credential('PASSWORD'));
  await press('Enter');
  await page.getByRole('button', { name: 'Account and appearance' }).waitFor();
});

test('the first key leads past the bar, to the page', async () => {
  const { page } = portal;
  await portal.go(2, 'volumes');
  await page.getByRole('heading', { name: 'Volumes', level: 1 }).waitFor();
  await tabTo(page.getByRole('link', { name: 'Skip to the page' }));
  await press('Enter');
  await focused(page.locator('main'));
  await press('Tab');
  expect(await holdsFocus(page.locator('main'))).toBe(true);
});

test('⌘K leads to a page and to a form', async () => {
  const { page } = portal;
  await press('Control+k');
  await focused(page.getByRole('textbox', { name: 'Search' }));
  await type('Server groups');
  await press('ArrowDown');
  await press('Enter');
  await page.getByRole('heading', { name: 'Server groups', level: 1 }).waitFor();
  await press('Control+k');
  await focused(page.getByRole('textbox', { name: 'Search' }));
  await type('Create volume');
  await press('ArrowDown');
  await press('Enter');
  await page.getByRole('dialog', { name: 'Create volume' }).waitFor();
});

test('a form is filled and sent', async () => {
  const { page } = portal;
  await focused(dialog().getByLabel('Name'));
  await keepsFocus();
  await tabTo(dialog().getByLabel('Name'));
  await type('flour');
  const source = dialog().getByRole('combobox', { name: 'What is on it' });
  await tabTo(source);
  await press('ArrowDown');
  await page.getByRole('option', { name: 'An image, to start from' }).waitFor();
  await press('Escape');
  await dialog().waitFor();
  await tabTo(dialog().getByLabel('Size in GiB'));
  await press('Control+a');
  await type('7');
  await tabTo(dialog().getByRole('button', { name: 'Create volume' }));
  await press('Enter');
  await gone();
  await page.getByRole('row', { name: /flour.*Available.*7 GiB/ }).waitFor();
});

test('the menu of a row opens a form, which gives the focus back to its row', async () => {
  const { page } = portal;
  const actions = page.getByRole('row', { name: /flour/ }).getByRole('button', { name: 'Actions' });
  await portal.go(2, 'volumes');
  await page.getByRole('link', { name: 'flour' }).waitFor();
  await press('j');
  await focused(page.getByRole('link', { name: 'flour' }));
  await press('Tab');
  await press('Enter');
  await page.getByRole('menuitem', { name: 'Copy ID' }).waitFor();
  expect(await portal.barriers()).toEqual([]);
  await press('Escape');
  await focused(actions);
  await press('Shift+Tab');
  await act('Rename, tag…');
  await focused(dialog().getByLabel('Name'));
  await keepsFocus();
  await press('Escape');
  await gone();
  await focused(actions);
  await press('Shift+Tab');
  await act('Rename, tag…');
  await focused(dialog().getByLabel('Name'));
  await press('Control+a');
  await type('rye');
  await press('Enter');
  await page.getByRole('link', { name: 'rye' }).waitFor();
});

test('an id is copied also where the browser offers no clipboard, as to pages that came over plain HTTP', async () => {
  const { page } = portal;
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await page.reload();
  const row = page.getByRole('link', { name: 'rye' });
  await row.waitFor();
  const id = (await row.getAttribute('href'))?.split('/').at(-1);
  await press('j');
  await focused(row);
  await act('Copy ID');
  await press('Control+k');
  const asked = dialog().getByRole('textbox');
  await focused(asked);
  await press('Control+v');
  await expect.poll(() => asked.inputValue()).toBe(id);
  await press('Escape');
  await gone();
});

test('another region is chosen, and the page stays', async () => {
  const { page } = portal;
  await tabTo(page.getByRole('button', { name: 'Region: Simulated' }), 'Shift+Tab');
  await press('Enter');
  await focused(page.getByRole('textbox', { name: 'Find a region' }));
  await type('Local');
  await press('ArrowDown');
  await press('Enter');
  await page.waitForURL(/regions\/1\/volumes/);
  await page.goBack();
  await page.waitForURL(/regions\/2\/volumes/);
});

test('a row is opened, and what is there is deleted when its name is typed', async () => {
  const { page } = portal;
  await page.getByRole('link', { name: 'rye' }).waitFor();
  await press('j');
  await press('Enter');
  await page.getByRole('heading', { name: /rye/ }).waitFor();
  const bar = page.getByRole('navigation').getByRole('link', { name: 'Volumes', exact: true });
  const weight = await bar.evaluate(
    (link) => (globalThis as unknown as Styles).getComputedStyle(link).fontWeight,
  );
  expect(weight, 'the bar shows where the reader is').toBe('550');
  const actions = page.getByRole('button', { name: 'Actions' });
  await tabTo(actions);
  await press('Enter');
  await tabTo(page.getByRole('menuitem', { name: 'Delete…' }), 'ArrowUp');
  await press('Enter');
  await focused(dialog().getByLabel('Type rye to delete it'));
  await keepsFocus();
  await press('Escape');
  await gone();
  await focused(actions);
  await press('Enter');
  await tabTo(page.getByRole('menuitem', { name: 'Delete…' }), 'ArrowUp');
  await press('Enter');
  await focused(dialog().getByLabel('Type rye to delete it'));
  // The page may ask for the volume in the moment in which it goes.
  const [id] = page.url().split('/').slice(-1);
  portal.expected.add(`404 GET /cloud/v1/volumes/1/2/${id}`);
  await type('rye');
  await press('Enter');
  await page.getByRole('heading', { name: 'Volumes', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'rye' }).waitFor({ state: 'detached' });
});

test('somebody signs out', async () => {
  const { page } = portal;
  const person = page.getByRole('button', { name: 'Account and appearance' });
  await tabTo(person);
  await press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  await press('Escape');
  await focused(person);
  await press('Enter');
  await tabTo(page.getByRole('menuitem', { name: 'Sign out' }), 'ArrowUp');
  await press('Enter');
  await page.getByRole('heading', { name: 'Sign in to Virga' }).waitFor();
});

test('the browser had nothing to complain about', () => {
  expect(portal.complaints).toEqual([]);
});
