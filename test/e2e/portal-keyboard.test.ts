import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeCertificate } from '../../server/src/features/secrets/testing/certificates.ts';
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
interface Requested {
  readonly ownerDocument: { readonly activeElement: unknown };
  contains(other: unknown): boolean;
}
interface Option {
  readonly dataset: Readonly<Record<string, string | undefined>>;
}
interface Styles {
  getComputedStyle(of: unknown): { readonly fontWeight: string };
}
const has = (target: Locator) =>
  target.evaluate((element) => (element as unknown as Requested).ownerDocument.activeElement === element);
const holdsFocus = (target: Locator) =>
  target.evaluate((element) => {
    const requested = element as unknown as Requested;
    return requested.contains(requested.ownerDocument.activeElement);
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

/** Chooses the first of what is found. */
async function find(words: string): Promise<void> {
  await press('Control+k');
  await focused(portal.page.getByRole('textbox', { name: 'Search' }));
  await type(words);
  await press('ArrowDown');
  await press('Enter');
}

test('⌘K leads to a page and to a form', async () => {
  const { page } = portal;
  await find('Server groups');
  await page.getByRole('heading', { name: 'Server groups', level: 1 }).waitFor();
  await find('Create volume');
  await page.getByRole('dialog', { name: 'Create volume' }).waitFor();
});

test('a form is filled and sent', async () => {
  const { page } = portal;
  await focused(dialog().getByLabel('Name'));
  await keepsFocus();
  await tabTo(dialog().getByLabel('Name'));
  await type('flour');
  const source = dialog().getByRole('combobox', { name: 'Source' });
  await tabTo(source);
  await press('ArrowDown');
  await page.getByRole('option', { name: 'An image' }).waitFor();
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
  const requested = dialog().getByRole('textbox');
  await focused(requested);
  await press('Control+v');
  await expect.poll(() => requested.inputValue()).toBe(id);
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

/** Chooses from a list that has the focus, by what is typed or by the arrows. */
async function pick(name: string | RegExp): Promise<void> {
  const option = portal.page.getByRole('option', { name }).first();
  await press('ArrowDown');
  await option.waitFor();
  const isChosen = () => option.evaluate((one) => (one as unknown as Option).dataset.comboboxSelected);
  for (let i = 0; i < 30 && !(await isChosen()); i += 1) await press('ArrowDown');
  await press('Enter');
}

test('a load balancer with two listeners is made, and faults have the focus', async () => {
  const { page, virga } = portal;
  const { certificate, privateKey } = await makeCertificate(['bakery.example.test']);
  await virga.call('POST', '/cloud/v2/secrets/1/2', {
    name: 'bakery',
    payload: { certificate, certificate_chain: certificate, private_key: privateKey },
  });
  const main = page.locator('main');
  const button = (name: string) => main.getByRole('button', { name, exact: true });
  const address = (member: number) => main.getByLabel(`Address of member ${member}`);
  await portal.go(2, 'load-balancers');
  await page.getByText('No load balancers here').waitFor();
  await press('c');
  await focused(main.getByRole('textbox', { name: 'Name' }));
  await type('oven-door');
  // The first member is left out: what is refused of the second stands at the second.
  await tabTo(address(2));
  await type('nowhere at all');
  await tabTo(button('Add member'));
  await press('Enter');
  await focused(address(3));
  await type('10.0.0.3');
  await press('Tab');
  await press('Tab');
  await focused(button('Remove member 3'));
  await press('Enter');
  await focused(button('Remove member 2'));
  await tabTo(button('Add listener'));
  await press('Enter');
  const second = main.locator('[data-card]').filter({ hasText: 'Listener 2' });
  await focused(second.getByRole('combobox', { name: 'Protocol' }));
  await pick('HTTPS, TLS terminated here');
  await tabTo(main.getByRole('combobox', { name: 'Certificate' }));
  await pick('bakery');
  for (const member of ['1', '1']) {
    await tabTo(second.getByRole('button', { name: `Remove member ${member}` }));
    await press('Enter');
  }
  await focused(second.getByRole('button', { name: 'Add member' }));
  await tabTo(button('Create load balancer'));
  for (const status of [400, 422]) portal.expected.add(`${status} POST /cloud/v1/loadbalancers/1/2`);
  await press('Enter');
  await focused(address(2).first());
  expect(await address(2).first().getAttribute('aria-invalid')).toBe('true');
  await press('Control+a');
  await type('10.0.0.2');
  await press('Enter');
  await page.getByRole('heading', { name: /oven-door/ }).waitFor();
  await portal.go(2, 'load-balancers');
  await page.getByRole('link', { name: 'oven-door' }).waitFor();
  await press('c');
  await focused(main.getByRole('textbox', { name: 'Name' }));
  await tabTo(button('Add listener'));
  await press('Enter');
  await tabTo(button('Remove listener 1'), 'Shift+Tab');
  await press('Enter');
  await focused(main.getByRole('combobox', { name: 'Protocol' }));
});

test('an instance with volumes, connections and a key is made, and faults have the focus', async () => {
  const { page, virga } = portal;
  await virga.call('POST', '/cloud/v1/ssh_keys/1', { name: 'laptop' });
  const main = page.locator('main');
  const button = (name: string) => main.getByRole('button', { name, exact: true });
  const choice = (name: string) => main.getByRole('combobox', { name, exact: true });
  await portal.go(2, 'instances');
  await page.getByText('No instances here').waitFor();
  await press('c');
  await focused(main.getByRole('textbox', { name: 'Name' }));
  await type('-');
  await tabTo(choice('Image'));
  await pick('debian-12-x64 (5 GiB at least)');
  await tabTo(choice('Size'));
  await pick(/^g1-standard-2-4/);
  await tabTo(choice('SSH key'));
  await pick('laptop');
  await tabTo(button('Add volume'));
  await press('Enter');
  await focused(main.getByLabel('Volume 2, empty, in GiB'));
  await tabTo(button('Add volume'));
  await press('Enter');
  await focused(main.getByLabel('Volume 3, empty, in GiB'));
  await press('Control+a');
  await type('7');
  await tabTo(button('Remove volume 2'), 'Shift+Tab');
  await press('Enter');
  await focused(button('Remove volume 2'));
  await tabTo(button('Add connection'));
  await press('Enter');
  await focused(choice('And to'));
  await pick('External network, with an address of its own');
  await press('Tab');
  await focused(button('Remove connection 2'));
  await press('Enter');
  await focused(choice('Connect it to'));
  await tabTo(choice('Security groups'));
  await pick('default');
  await expect.poll(() => main.locator('.mantine-Pill-root').count()).toBe(1);
  await press('Escape');
  await tabTo(button('Create instance'));
  for (const status of [400, 422]) portal.expected.add(`${status} POST /cloud/v2/instances/1/2`);
  await press('Enter');
  await focused(main.getByRole('textbox', { name: 'Name' }));
  await press('Control+a');
  await type('oven');
  await press('Enter');
  await page.getByRole('heading', { name: /oven/ }).waitFor();
  const [made] = (await virga.call('GET', '/cloud/v1/instances/1/2')).body.results;
  expect(made.ssh_key_name).toBe('laptop');
  expect(made.flavor.flavor_id).toBe('g1-standard-2-4');
});

test('somebody signs out', async () => {
  const { page } = portal;
  const person = page.getByRole('button', { name: 'Account and appearance' });
  await tabTo(person);
  await press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  // The menu takes the focus a moment after it is shown; before, it does not hear the key.
  await expect.poll(() => has(person)).toBe(false);
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
