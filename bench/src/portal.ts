import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../test/harness/browser.ts';
import { type Figure, median } from './measure.ts';
import { type BenchServer, fillLoadBalancers, startBenchServer } from './server.ts';

const ROWS = 1000;
const TRIES = 5;
const WINDOW = { width: 1440, height: 900 };
const LIST = '/projects/1/regions/2/load-balancers';
/** As a wheel that is turned fast does. */
const STEP_PX = 450;

export type State = NonNullable<BrowserContextOptions['storageState']>;

/** The portal in a real browser: its first load, and a long list that is scrolled. */
export async function benchPortal(): Promise<Figure[]> {
  const server = await startBenchServer();
  const browser = await launchBrowser();
  try {
    await fillLoadBalancers(server.connection, 1, ROWS);
    const state = await signIn(browser, server);
    const loads: number[] = [];
    const scrolls: Scroll[] = [];
    for (let i = 0; i < TRIES; i++) {
      loads.push(await inPage(browser, state, (page) => firstLoad(page, server.virga.url)));
      scrolls.push(await inPage(browser, state, (page) => scroll(page, server.virga.url)));
    }
    return [
      {
        what: `portal: nothing in the cache, from the address to the first rows of a list of ${ROWS} drawn, median of ${TRIES}`,
        value: `${(median(loads) / 1000).toFixed(2)} s`,
        goal: '< 1 s',
      },
      {
        what: `portal: ${ROWS.toLocaleString('en')} rows scrolled through, ${STEP_PX} px a frame: longest task, longest frame, median frame, medians of ${TRIES}`,
        value: scrolled(scrolls),
        goal: '-',
      },
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

export async function signIn(browser: Browser, server: BenchServer): Promise<State> {
  const page = await browser.newPage();
  await page.goto(`${server.virga.url}/sign-in`);
  await page.getByLabel('Email address').fill(server.credential('EMAIL'));
  await page.getByRole('textbox', { name: 'Password' }).fill(server.credential('PASSWORD'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account and appearance' }).waitFor();
  const state = await page.context().storageState();
  await page.close();
  return state;
}

/** Each look is somebody else's first: a browser's profile of its own has nothing in its cache. */
export async function inPage<T>(
  browser: Browser,
  state: State,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ storageState: state, viewport: WINDOW });
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Milliseconds, by the page's own clock, until the frame after the first row was there. */
async function firstLoad(page: Page, url: string): Promise<number> {
  await page.addInitScript(`globalThis.rowsAt = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-row-link]') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now()));
    }).observe(document, { childList: true, subtree: true });
  })`);
  await page.goto(url + LIST);
  return page.evaluate<number>('globalThis.rowsAt');
}

/** Milliseconds; a browser reports tasks of 50 ms and more only, so 0 means that there was none. */
interface Scroll {
  readonly longestTask: number;
  readonly frames: readonly number[];
}

async function scroll(page: Page, url: string): Promise<Scroll> {
  await page.goto(`${url}${LIST}?limit=${ROWS}`);
  await page.locator('[aria-rowindex]').first().waitFor();
  return page.evaluate<Scroll>(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const tasks = [0];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    const frames = [];
    let before = await frame();
    while (scrollY + innerHeight < document.documentElement.scrollHeight - 1) {
      scrollBy(0, ${STEP_PX});
      const now = await frame();
      frames.push(now - before);
      before = now;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { longestTask: Math.max(...tasks), frames };
  })()`);
}

function scrolled(scrolls: readonly Scroll[]): string {
  const ms = (values: readonly number[]) => `${Math.round(median(values))} ms`;
  const task = median(scrolls.map(({ longestTask }) => longestTask));
  const longest = scrolls.map(({ frames }) => Math.max(...frames));
  const usual = scrolls.map(({ frames }) => median(frames));
  return `${task === 0 ? 'below 50 ms' : ms([task])}, ${ms(longest)}, ${ms(usual)}`;
}
