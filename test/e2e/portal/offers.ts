import type { Page } from 'playwright-core';
import { waitUntil } from '../../harness/wait.ts';
import { type Questions, visit } from './visits.ts';

/** What can be pressed on a page: its buttons, the entries of its menus, what its tabs and its form have. */

/** Names of what can be pressed now. A link counts where it leads to a form; what sorts a table or chooses a tab does
 *  not. */
const namesIn = (within: string) => `(() => {
  const isOff = (one) => one.disabled || one.ariaDisabled === 'true' || one.closest('[aria-hidden=true]') ||
    // Steps of a number.
    one.matches('.mantine-NumberInput-control');
  const isForm = ({ href = '' }) => /[?&]new=|\\/new$/.test(href);
  const all = [...document.querySelectorAll('${within} :is(button, [role=menuitem])'),
    ...[...document.querySelectorAll('${within} a')].filter(isForm)];
  return all.filter((one) => one.checkVisibility() && !isOff(one) && !one.closest('th, [role=tablist]'))
    .map((one) => (one.ariaLabel || one.innerText).trim().split('\\n')[0]);
})()`;

/** Names of what can't be pressed, and why: as a menu has it below the name, or as it is said when it is pressed. */
const reasonsIn = (within: string) => `(async () => {
  const found = [];
  for (const one of document.querySelectorAll('${within} :is([aria-disabled=true], [role=menuitem]:disabled)')) {
    const [name, below = ''] = (one.ariaLabel || one.innerText).trim().split('\\n');
    if (one.role !== 'menuitem') {
      one.click();
      await new Promise((drawn) => setTimeout(drawn));
    }
    const said = one.role === 'menuitem' ? below : document.querySelector('[role=tooltip]')?.innerText;
    found.push([name, said ?? '']);
  }
  return found;
})()`;

/** What can be pressed, and what can't for another reason than a role. Elsewhere or later it can. */
async function offered(page: Page, within: string): Promise<string[]> {
  const reasons = await page.evaluate<[name: string, why: string][]>(reasonsIn(within));
  const others = reasons.filter(([, why]) => why !== '' && !why.startsWith('This needs the role'));
  return [...(await page.evaluate<string[]>(namesIn(within))), ...others.map(([name]) => name)];
}

/** The first button of each kind that opens a menu. */
const openersIn = (within: string) => `(() => {
  const all = [...document.querySelectorAll('${within} button[aria-haspopup=menu]')];
  const tables = new Set();
  return all.flatMap((one, index) => {
    const table = one.closest('table');
    if (table && tables.has(table)) return [];
    tables.add(table);
    return [index];
  });
})()`;

const IN_MENU = "document.activeElement?.closest('[role=menu]') !== null";

async function offeredInMenus(page: Page, within: string): Promise<string[]> {
  const found: string[] = [];
  const menu = page.getByRole('menu');
  for (const index of await page.evaluate<number[]>(openersIn(within))) {
    await page.locator(`${within} button[aria-haspopup=menu]`).nth(index).click();
    await menu.waitFor();
    // Keys close it once the focus is in it, also where nothing in it can be chosen.
    await waitUntil(() => page.evaluate<boolean>(IN_MENU), { what: 'the menu to have the focus' });
    found.push(...(await offered(page, '[role=menu]')));
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  }
  return found;
}

const PANEL = 'main [role=tabpanel]';

/** All that can be pressed on the page of an address, on each of its tabs, and in the form that it opens. */
export async function offersOf(page: Page, questions: Questions, address: string): Promise<string[]> {
  await visit(page, questions, address);
  const offers = [...(await offered(page, 'main')), ...(await offeredInMenus(page, 'main'))];
  const tabs = await page.locator('main [role=tab]').all();
  for (const tab of tabs.slice(1)) {
    await tab.click();
    await still(page, questions);
    offers.push(...(await offered(page, PANEL)), ...(await offeredInMenus(page, PANEL)));
  }
  if ((await page.locator('main form').count()) > 0) return offers;
  await page.evaluate(`__TSR_ROUTER__.navigate({ to: ${JSON.stringify(`${address}?new=1`)} })`);
  await still(page, questions);
  return [...offers, ...(await offered(page, '[role=dialog]'))];
}

const DRAWN = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => __TSR_ROUTER__.state.status === 'idle')`;

/** What was pressed has been drawn, and everything that it asked for. */
const still = (page: Page, questions: Questions) =>
  waitUntil(async () => (await page.evaluate<boolean>(DRAWN)) && questions.open === 0, {
    what: 'the page to stand still',
  });
