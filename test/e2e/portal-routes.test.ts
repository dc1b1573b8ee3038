import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { thousandfold, twice } from './portal/answers.ts';
import { Portal } from './portal/harness.ts';
import { makeSamples, type Samples } from './portal/samples.ts';
import { addressOf, isMissing, patternsOf, Questions, type Sight, visit } from './portal/visits.ts';

/** Every page that the portal's router knows, with nothing to show, with one of everything, and while the API does not
 *  answer as it should. A page that is added is looked at without being named here. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = new Portal();
const API = /\/(cloud|iam|virga|waap|storage|video)\/(?!v1\/session$|v1\/tasks\/stream)/;
let samples: Samples;
let patterns: readonly string[] = [];

beforeAll(async () => {
  await portal.start();
  await portal.signIn();
  patterns = await patternsOf(portal.page);
});
afterAll(() => portal.stop());

interface Look {
  readonly samples?: Samples;
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** What becomes of the API once the portal stands; absent: it answers. */
  readonly break?: (page: Page) => Promise<void>;
  /** Which pages; default: all. */
  readonly only?: (pattern: string) => boolean;
  /** What is looked at in the end. */
  readonly after?: (page: Page) => Promise<void>;
  /** Ask whether somebody is kept out by how it is built. */
  readonly barriers?: boolean;
  readonly check: (sight: Sight, pattern: string) => readonly string[];
}

/** Opens every page in one window, and gathers what is wrong with each. */
async function look({ scheme = 'light', width = 1440, ...how }: Look): Promise<readonly string[]> {
  const context = await portal.browser.newContext({
    viewport: { width, height: 844 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    storageState: await portal.context.storageState(),
  });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`exception: ${error.message}`));
  page.on('crash', () => wrong.push('the page crashed'));
  const questions = new Questions(page);
  await portal.operate('clients', page);
  await how.break?.(page);
  for (const pattern of patterns.filter(how.only ?? (() => true))) {
    const sight = await visit(page, questions, addressOf(pattern, how.samples));
    const faults = [
      ...(sight.title ? [] : ['it has no title']),
      ...(isNamed(sight) ? [] : [`its window is named ${sight.window}`]),
      ...sight.mute.map((button) => `${button} cannot be pressed, and does not say why`),
      ...sight.odd.map((words) => `it says ${words}`),
      ...sight.flaws,
      ...(sight.faults.length === 0 || sight.offers > 0 ? [] : ['it offers nothing to do']),
      ...(sight.width > width ? [`it is ${sight.width} px wide`] : []),
      ...how.check(sight, pattern),
      ...(how.barriers ? await portal.barriers(page, 'main') : []),
    ];
    wrong.push(...faults.map((fault) => `${pattern}: ${fault}`));
  }
  await how.after?.(page);
  await context.close();
  return wrong;
}

/** As `look`; nothing may be wrong. */
const allRight = async (how: Parameters<typeof look>[0]) => expect(await look(how)).toEqual([]);

/** Whether tabs and bookmarks say what the page is about. */
const isNamed = ({ window, title }: Sight) =>
  window.endsWith(' · Virga') && title.startsWith(window.split(' · ')[0] ?? '');

const says = (sight: Sight, words: RegExp) => sight.faults.some((fault) => words.test(fault));

test('the router has pages to look at', () => {
  expect(patterns.length).toBeGreaterThan(50);
});

test('with nothing to show, each page says so, and what is not there leads to what is', async () => {
  await allRight({
    width: 390,
    check: (sight, pattern) => {
      if (isMissing(pattern, undefined) !== says(sight, /not found|no /i)) return [`says ${sight.faults}`];
      const list = addressOf(pattern, undefined).replace(/\/[^/]+$/, '');
      return isMissing(pattern, undefined) && !sight.ways.includes(list) ? ['does not lead to others'] : [];
    },
  });
});

test('with one of everything, each page shows it', async () => {
  samples = await makeSamples(portal.virga);
  await allRight({
    samples,
    width: 390,
    scheme: 'dark',
    barriers: true,
    check: (sight, pattern) =>
      isMissing(pattern, samples) ? [] : sight.faults.map((fault) => `says ${fault}`),
  });
});

test('what is answered late moves nothing that stands already', async () => {
  const context = await portal.browser.newContext({
    viewport: { width: 390, height: 844 },
    reducedMotion: 'reduce',
    storageState: await portal.context.storageState(),
  });
  const page = await context.newPage();
  const questions = new Questions(page);
  await page.addInitScript(COUNT_MOVES);
  await portal.go(2, 'volumes', page);
  const held: readonly (readonly [pattern: string, answer: RegExp])[] = [
    ['/storage', /notifications\/v1\/events/],
    ['/quotas', /client_quotas(\?|$)/],
    ['/kubernetes/$name', /\/instances/],
  ];
  for (const [end, answer] of held) {
    const address = addressOf(patterns.find((pattern) => pattern.endsWith(`$region${end}`)) ?? '', samples);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(answer, async (route) => {
      await released;
      await route.continue();
    });
    const requested = page.waitForRequest(answer);
    await page.evaluate(`__TSR_ROUTER__.navigate({ to: ${JSON.stringify(address)} })`);
    await requested;
    // All else has been answered and drawn.
    await expect.poll(() => questions.open).toBe(1);
    await page.locator('.mantine-Skeleton-root').first().waitFor();
    await page.evaluate('globalThis.moved = 0');
    release();
    await visit(page, questions, address);
    const moved = await page.evaluate('new Promise((seen) => setTimeout(() => seen(globalThis.moved)))');
    expect(moved, end).toBeLessThan(0.1);
    await page.unroute(answer);
  }
  await context.close();
});

/** How much of the window has moved by itself, as browsers count it. */
const COUNT_MOVES = `new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.moved += value;
}).observe({ type: 'layout-shift' })`;

test('of lists of a thousand, those rows are drawn that are looked at', async () => {
  const seen: string[] = [];
  await allRight({
    samples,
    // So narrow that tables scroll within their frames.
    width: 1000,
    break: async (page) => {
      await page.route(API, thousandfold);
    },
    check: ({ rows }, pattern) => {
      if (rows > 40) seen.push(pattern);
      return rows > 200 ? [`draws ${rows} rows`] : [];
    },
    only: (pattern) => !isMissing(pattern, undefined) && !pattern.endsWith('/new'),
    after: async (page) => {
      await visit(page, new Questions(page), '/projects/1/regions/2/volumes');
      await page.getByRole('link', { name: 'bakery-flour' }).first().waitFor();
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.locator('[aria-rowindex="1001"]').waitFor();
      await page.evaluate('scrollTo(0, 0)');
      await page.locator('[aria-rowindex="2"]').waitFor();
    },
  });
  expect(seen.length).toBeGreaterThan(20);
});

test('what has an equal name, or is listed twice, breaks no page', async () => {
  await allRight({
    samples,
    break: async (page) => {
      await page.route(API, twice);
    },
    check: (sight, pattern) =>
      isMissing(pattern, samples) ? [] : sight.faults.map((fault) => `says ${fault}`),
    only: (pattern) => /new$|simulation$|volumes$/.test(pattern),
    after: async (page) => {
      await visit(page, new Questions(page), '/projects/1/regions/2/volumes');
      await page.getByRole('link', { name: 'Create volume' }).first().click();
      await page.getByRole('combobox', { name: 'Source' }).click();
      await page.getByRole('option', { name: 'A snapshot' }).click();
      await page.getByRole('combobox', { name: 'Snapshot' }).click();
      await page.getByRole('option', { name: 'bakery-before' }).nth(1).waitFor();
      const names = await page.getByRole('option', { name: 'bakery-before' }).allTextContents();
      expect(new Set(names).size, names.join(', ')).toBe(2);
    },
  });
});

test('⌘K finds each page of the bar, each creation, and resources of every noun by name or id', async () => {
  const { page } = portal;
  await portal.go(2, '');
  const bar = page.getByRole('navigation', { name: 'Pages' }).first();
  await bar.getByRole('link', { name: 'Overview' }).waitFor();
  const folded = bar.getByRole('button', { expanded: false });
  while ((await folded.count()) > 0) await folded.first().click();
  await bar.getByRole('link', { name: 'Quotas', exact: true }).waitFor();
  const labels = await bar.getByRole('link').allTextContents();
  expect(labels.length).toBeGreaterThan(30);
  await page.keyboard.press('Control+k');
  const search = page.getByRole('textbox', { name: 'Search' });
  const offered = page.getByRole('dialog').getByRole('button');
  await offered.first().waitFor();
  expect(await portal.barriers()).toEqual([]);
  const entries = (await offered.allTextContents()).join('\n');
  for (const action of ['Create API token', 'Dark appearance', 'Sign out']) expect(entries).toContain(action);
  const ownName: Readonly<Record<string, string>> = { Databases: 'PostgreSQL', Storage: 'Storage' };
  expect(labels.filter((label) => !entries.includes(ownName[label] ?? label))).toEqual([]);
  for (const [text, kind] of [
    ['bakery-laptop', 'SSH key'],
    ['bakery-kitchen', 'Kubernetes cluster'],
    ['bakery-bucket', 'Inference secret'],
    ['bakery-registry', 'Registry credentials'],
    ['bakery-site', 'Certificate'],
    ['bakery pages', 'Response pages'],
    ['bakery-before', 'Snapshot'],
    ['bakery-nightly', 'Lifecycle policy'],
    [samples.volumes ?? '', 'Volume'],
  ] as const) {
    await search.fill(text);
    await page.getByRole('dialog').getByText(kind, { exact: true }).waitFor();
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the first field that is refused has the focus, also in a form of many', async () => {
  const { page } = portal;
  await portal.go(2, 'kubernetes?new=1');
  const form = page.getByRole('dialog', { name: 'Create cluster' });
  await form.getByRole('textbox', { name: 'Name' }).first().fill('NOT A NAME');
  // The server is to refuse it, and not the browser.
  await page.evaluate("document.querySelector('[role=dialog] form').noValidate = true");
  await form.getByRole('button', { name: 'Create cluster' }).click();
  await form.locator('[aria-invalid=true]').first().waitFor();
  const focused = await page.evaluate('document.activeElement.value');
  expect(focused).toBe('NOT A NAME');
  await page.keyboard.press('Escape');
});

test('a form says which of its choices could not be read', async () => {
  const { page } = portal;
  const choices = /\/create_versions|\/k8s\/.*\/flavors|\/ssh_keys\//;
  await page.route(choices, (route) => route.fulfill({ status: 500, json: { message: 'It is too busy.' } }));
  portal.expected.add('500 GET /cloud/v2/k8s/1/2/create_versions');
  portal.expected.add('500 GET /cloud/v1/k8s/1/2/flavors');
  portal.expected.add('500 GET /cloud/v1/ssh_keys/1');
  await portal.go(2, 'kubernetes?new=1');
  const form = page.getByRole('dialog', { name: 'Create cluster' });
  await expect.poll(() => form.getByText('could not be read. It is too busy.').count()).toBe(3);
  await page.unroute(choices);
  await page.reload();
  // What stands first is chosen, so that a name and a key are enough.
  await expect.poll(() => form.getByLabel('Version').first().inputValue()).toMatch(/^v1\./);
  await expect.poll(() => form.getByLabel('Size of its nodes').first().inputValue()).toMatch(/CPU/);
  await page.keyboard.press('Escape');
});

test('nobody is kept out of the menus of the frame', async () => {
  const { page } = portal;
  await portal.go(2, '');
  for (const name of [/^Project/, /^Region/, 'Account and appearance']) {
    await page.getByRole('button', { name }).click();
    await page.getByRole(name === 'Account and appearance' ? 'menu' : 'listbox').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
  }
});

test('with keys alone a form is opened and left, and the focus is where it was', async () => {
  const { page } = portal;
  await portal.go(2, 'volumes');
  await page.getByRole('link', { name: 'bakery-flour' }).waitFor();
  await page.keyboard.press('j');
  await expect.poll(() => page.evaluate("document.activeElement.hasAttribute('data-row-link')")).toBe(true);
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Actions');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Copy ID');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Actions');
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

/** Pages that ask the API for nothing before something is typed or pressed, or that belong to nobody who is signed in. */
const ASKS_NOTHING =
  /^\/(sign-in|second-factor|password\/.*|invitation\/open)$|\/(video|response-pages\/new)$|^\/operator(\/clients)?$/;

const answers =
  (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  async (page: Page) => {
    const body = { exception_class: 'Broken', message, request_id: 'the-request' };
    const broken = (route: Route) => route.fulfill({ status, json: body, headers: { ...headers } });
    await page.route(API, broken);
  };

const mustSay = (words: RegExp) => (sight: Sight, pattern: string) =>
  ASKS_NOTHING.test(pattern) || says(sight, words)
    ? []
    : [`says nothing of what is wrong, but: ${sight.faults}`];

test('when the server fails, each page says so and offers to try again', async () => {
  await allRight({
    samples,
    barriers: true,
    break: answers(500, 'Something went wrong on our side'),
    check: mustSay(/went wrong on our side/),
  });
});

test('what is around a thing says that it could not be read', async () => {
  const own = new RegExp(`/(${Object.values(samples).join('|')})$`);
  await allRight({
    samples,
    width: 390,
    break: async (page) => {
      const refuse = { status: 500, json: { message: 'It is broken' } };
      const isOwn = (route: Route) => own.test(new URL(route.request().url()).pathname);
      await page.route(API, (route) => (isOwn(route) ? route.continue() : route.fulfill(refuse)));
    },
    check: mustSay(/is broken/),
    only: (pattern) => /\/(kubernetes|load-balancers|instances|networks|volumes)\/\$/.test(pattern),
  });
});

test('what a role may not see says why', async () => {
  await allRight({
    samples,
    scheme: 'dark',
    break: answers(403, 'Your role may not read this.'),
    check: mustSay(/may not read/),
  });
});

test('when the server is too busy, each page says when it asks again', async () => {
  await allRight({
    samples,
    width: 390,
    break: answers(503, 'The database cannot be reached.', { 'retry-after': '20' }),
    check: mustSay(/cannot be reached/),
  });
});

test('when the network is gone, each page says so, and nothing of the portal is lost', async () => {
  await allRight({
    samples,
    width: 390,
    break: (page) => page.context().setOffline(true),
    check: mustSay(/does not answer|did not send this page/),
    after: async (page) => {
      await visit(page, new Questions(page), '/projects/1/regions/2/volumes');
      await page.context().setOffline(false);
      await page.getByRole('link', { name: 'bakery-flour' }).waitFor();
    },
  });
});
