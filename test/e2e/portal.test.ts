import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accountStories } from './portal/account.ts';
import { computeStories } from './portal/compute.ts';
import { deliveryStories } from './portal/delivery.ts';
import { firstHourStories } from './portal/first-hour.ts';
import { flowStories } from './portal/flows.ts';
import { Portal } from './portal/harness.ts';
import { listStories } from './portal/lists.ts';
import { lostWorkStories } from './portal/lost-work.ts';
import { networkingStories } from './portal/networking.ts';

/** The portal in a real browser, against the real program. All stories share one of each, in this order. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const portal = new Portal();

beforeAll(() => portal.start());
afterAll(() => portal.stop());

firstHourStories(portal);
computeStories(portal);
networkingStories(portal);
lostWorkStories(portal);
listStories(portal);
flowStories(portal);
accountStories(portal);
deliveryStories(portal);

test('the first load is small', async () => {
  const context = await portal.browser.newContext({ storageState: await portal.context.storageState() });
  const page = await portal.newPage(context);
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await portal.go(1, '', page);
  await page.getByRole('heading', { name: 'default in Local' }).waitFor();
  // All that it shows at first; it then looks every few seconds how that is.
  await page.getByLabel('The project: traffic goes from left to right').waitFor();
  await page.locator('[data-card]', { hasText: 'Needs attention' }).locator('li, p').first().waitFor();
  await page.locator('[data-card]', { hasText: 'Recent tasks' }).locator('li').first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await context.close();
  // Scripts, styles and fonts, as they come over the wire, and what the page asks of the API.
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(300_000);
});

test('signing out ends the session', async () => {
  const { page, virga, context } = portal;
  const [cookie] = await context.cookies();
  await page.getByRole('button', { name: 'Account and appearance' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Virga' }).waitFor();
  const answer = await fetch(`${virga.url}/cloud/v1/projects`, {
    headers: { cookie: `${cookie?.name}=${cookie?.value}` },
  });
  expect(answer.status).toBe(401);
});

test('nothing was asked of another host, and the browser had nothing to complain about', () => {
  // Passkeys need a name.
  const { host, port } = new URL(portal.virga.url);
  expect([...portal.hosts]).toEqual([host, `localhost:${port}`]);
  expect(portal.complaints).toEqual([]);
});
