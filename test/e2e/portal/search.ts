import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** Finding what there is: with ⌘K everywhere, and with the filters of lists. */
export function searchStories(portal: Portal): void {
  const SEARCH = '/virga/v1/search';
  const box = () => portal.page.getByRole('dialog').getByRole('textbox', { name: 'Search' });
  const entry = (name: RegExp) => portal.page.getByRole('dialog').getByRole('button', { name });

  test('⌘K finds parts of names everywhere with one request a pause, and goes there', async () => {
    const { page } = portal;
    const network = { name: 'pantry-shelves', create_router: false };
    const reply = await portal.virga.call('POST', '/cloud/v1/networks/1/2', network);
    await portal.virga.ended(reply);
    await portal.go(1, 'load-balancers');
    await page.getByRole('heading', { name: 'Load balancers', level: 1 }).waitFor();
    const requested: string[] = [];
    const note = (request: { url(): string }) => void requested.push(new URL(request.url()).pathname);
    await page.keyboard.press('Control+k');
    await box().waitFor();
    page.on('request', note);
    await box().fill('try-she');
    await entry(/pantry-shelves/).waitFor();
    page.off('request', note);
    expect(requested.filter((path) => path === SEARCH)).toEqual([SEARCH]);
    expect(requested.filter((path) => path !== SEARCH && !path.startsWith('/assets/'))).toEqual([]);
    expect(await entry(/pantry-shelves/).innerText()).toContain('Network in Simulated');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /pantry-shelves/ }).waitFor();
    expect(page.url()).toContain('/regions/2/networks/');
  });

  test('what was looked at last is offered before anything is typed', async () => {
    const { page } = portal;
    await portal.go(1, 'load-balancers');
    await page.getByRole('heading', { name: 'Load balancers', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await entry(/pantry-shelves.*Networks/s).click();
    await page.getByRole('heading', { name: /pantry-shelves/ }).waitFor();
    await page.keyboard.press('Control+k');
    await box().fill('nothing is called so');
    await page.getByText('Nothing has this in its name, id, address or tags').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('the filter of a list finds a part of a name', async () => {
    const { page } = portal;
    await portal.go(2, 'networks');
    await page.getByRole('link', { name: 'pantry-shelves' }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('TRY-SHEL');
    await page.waitForURL(/name=TRY-SHEL/);
    await page.getByRole('link', { name: 'pantry-shelves' }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('no such');
    await page.getByText('Nothing matches').waitFor();
  });
}
