import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchBrowser } from '../../harness/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { witnesses } from '../../harness/on-failure.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../harness/process.ts';

/** A real browser in front of the real program, shared by all stories of the portal. */

/** No page is open for as long as it would take to win back the time of the compilers that optimise: without them the
 *  stories need a tenth less processor time. */
const SHORT_VISITS = ['--js-flags=--no-maglev --no-turbofan'];

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const IMAGES = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'images');

/** A machine that starts several servers and browsers at once takes its time to load a page. */
const LOAD_MS = 60_000;
const FIRST_LOAD_MS = 20_000;

export class Portal {
  virga!: VirgaProcess;
  browser!: Browser;
  context!: BrowserContext;
  page!: Page;
  /** What the browser complained about, and every host that it asked. */
  readonly complaints: string[] = [];
  readonly hosts = new Set<string>();
  /** How many requests all pages made. */
  requested = 0;
  /** Answers that a story is about; others are complaints. */
  readonly expected = new Set<string>();
  #dataDir = '';
  #database: TestDatabase | undefined;
  readonly #waiting = new Set<Request>();
  readonly #lost: string[] = [];

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#dataDir = newDataDir();
    // Cheaper than a PostgreSQL of its own, which has nothing to do with the portal.
    this.#database = await createTestDatabase();
    const settings = {
      dataDir: this.#dataDir,
      env: { DATABASE_URL: this.#database.url, VIRGA_TIME_SCALE: '0.01', ...env },
    };
    [this.virga, this.browser] = await Promise.all([startVirga(settings), launchBrowser(SHORT_VISITS)]);
    this.context = await this.browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
    });
    this.page = await this.newPage(this.context);
    witnesses.add(this.#seen);
    await this.#loadFirst();
  }

  /** The first load of a browser that starts beside many others stays blank once in some hundred runs, and nobody knows
   *  why yet: what there is to see is said, and the page loaded again. */
  async #loadFirst(): Promise<void> {
    for (const isLast of [false, false, true]) {
      const options = { timeout: isLast ? LOAD_MS : FIRST_LOAD_MS };
      try {
        await this.page.goto(`${this.virga.url}/sign-in`, options);
        await this.page.locator('main').waitFor(options);
        return;
      } catch (cause) {
        const seen = await this.#seen().catch(String);
        if (isLast) throw new Error(`the portal does not load: ${seen}`, { cause });
        process.stderr.write(`the portal did not load at first: ${seen}\n`);
      }
    }
  }

  /** What the page shows, and what it still waits for or never got. */
  readonly #seen = async (): Promise<string> => {
    const waiting = [...this.#waiting].map((request) => `${request.method()} ${request.url()}`);
    const main = this.page.locator('main');
    const text = await main
      .innerText({ timeout: 5_000 })
      .catch(() => this.page.evaluate<string>('document.readyState + document.body.innerHTML.slice(0, 500)'));
    const lost = JSON.stringify(this.#lost.slice(-5));
    return `${this.page.url()}, waiting for ${JSON.stringify(waiting)}, without ${lost}:\n${text}`;
  };

  /** A page whose complaints are heard. */
  async newPage(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(LOAD_MS);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security Policy|React/.test(message.text()))
        this.complaints.push(message.text());
    });
    page.on('response', (response) => {
      const what = `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`;
      // What the edge answers about a film that is not there is what the video page shows.
      const edge = /^\/(videos|cmaf)\//.test(new URL(response.url()).pathname);
      if (response.status() >= 400 && response.status() !== 401 && !edge && !this.expected.has(what)) {
        this.complaints.push(what);
      }
    });
    page.on('request', (request) => {
      this.requested += 1;
      this.#waiting.add(request);
      const { protocol, host } = new URL(request.url());
      if (protocol.startsWith('http')) this.hosts.add(host);
    });
    page.on('requestfinished', (request) => this.#waiting.delete(request));
    page.on('requestfailed', (request) => {
      this.#waiting.delete(request);
      this.#lost.push(`${request.failure()?.errorText} ${request.url()}`);
    });
    return page;
  }

  async stop(): Promise<void> {
    witnesses.delete(this.#seen);
    await this.browser?.close();
    await this.virga?.end('SIGTERM').catch(() => undefined);
    await this.#database?.drop();
    removeDataDir(this.#dataDir);
  }

  /** Signs in as the person of the first run. */
  async signIn(): Promise<void> {
    const { page } = this;
    await page.goto(`${this.virga.url}/sign-in`);
    const email = page.getByLabel('Email address');
    // Files begin with it, where nobody else says what the page shows.
    await email.waitFor().catch(async (cause) => {
      throw new Error(`nobody can sign in: ${await this.#seen().catch(String)}`, { cause });
    });
    await email.fill(this.credential('EMAIL'));
    await page.getByRole('textbox', { name: 'Password' }).fill(this.credential('PASSWORD'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account and appearance' }).waitFor();
  }

  /** Has everybody signed in so many minutes ago: what needs a recent sign-in asks for the password after ten. */
  async signedInAgo(minutes: number): Promise<void> {
    const set = "created_at = now() - $1 * interval '1 minute', confirmed_at = null";
    await this.query(`update sessions set ${set}`, [minutes]);
  }

  /** Writes into the database what no call does. */
  async query(statement: string, values: readonly unknown[]): Promise<void> {
    const client = new pg.Client(this.#database?.connection);
    await client.connect();
    await client.query(statement, [...values]).finally(() => client.end());
  }

  /** Opens a page of the operator, whose token a page forgets when it is left by its address. */
  async operate(target: string, page = this.page): Promise<void> {
    await page.goto(`${this.virga.url}/operator/${target}`);
    await page.getByRole('textbox', { name: 'Token' }).fill(this.credential('OPERATOR_TOKEN'));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor({ state: 'detached' });
  }

  /** A call with the operator's token. */
  asOperator(method: string, target: string, body?: unknown): ReturnType<VirgaProcess['call']> {
    return this.virga.call(method, target, body, {
      authorization: `APIKey ${this.credential('OPERATOR_TOKEN')}`,
    });
  }

  /** Runs an entry of the menu of a row. */
  async act(row: string | RegExp, action: string | RegExp): Promise<void> {
    const found = this.page.getByRole('row', { name: row });
    await found.getByRole('button', { name: 'Actions' }).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  /** A path below what the program keeps. */
  kept(...parts: readonly string[]): string {
    return path.join(this.#dataDir, ...parts);
  }

  credential(name: string): string {
    const text = readFileSync(path.join(this.#dataDir, 'credentials'), 'utf8');
    return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  }

  /** Opens a page of the first project in a region: `go(2, 'volumes')`. */
  go(region: number, target: string, page = this.page): Promise<unknown> {
    return page.goto(`${this.virga.url}/projects/1/regions/${region}/${target}`);
  }

  /** Leaves a page that was given made-up answers. Nothing of it is asked any more when the real ones are given again:
   *  a request that is on its way when its made-up answer goes would reach the server, which knows nothing of it. */
  async leave(page = this.page): Promise<void> {
    await page.goto('about:blank');
    await page.unrouteAll();
  }

  /** Faults of accessibility that keep people out.
   *  @param within a part of the page; default: all of it */
  async barriers(page = this.page, within = 'html'): Promise<readonly string[]> {
    if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
    return page.evaluate(async (part) => {
      const run = (
        globalThis as unknown as {
          axe: {
            run(
              part: string,
              options: { preload: boolean; resultTypes: string[] },
            ): Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }>;
          };
        }
      ).axe;
      // Its preload writes a style sheet that was still on its way into the page, which the page's policy refuses.
      // Of what is as it should be, it would gather each element, which takes four times as long.
      const { violations } = await run.run(part, { preload: false, resultTypes: ['violations'] });
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    }, within);
  }

  /** Chooses from a field that has a list. */
  async choose(label: string, option: string | RegExp): Promise<void> {
    await this.page.getByRole('combobox', { name: label }).click();
    await this.page.getByRole('option', { name: option }).first().click();
  }

  /** A picture for the documents, made by `npm run screenshots`.
   *  @param secret what nobody is to read in it */
  async picture(name: string, secret?: Locator): Promise<void> {
    if (process.env.VIRGA_TEST_SCREENSHOTS !== 'on') return;
    await this.page.mouse.move(0, 0);
    await this.page.screenshot({
      path: path.join(IMAGES, `${name}.png`),
      animations: 'disabled',
      ...(secret ? { mask: [secret], maskColor: '#d5dae2' } : {}),
    });
  }
}

/** One that all stories of a file share; somebody has signed in. */
export function sharedPortal(): Portal {
  const portal = new Portal();
  beforeAll(async () => {
    await portal.start();
    await portal.signIn();
  });
  afterAll(() => portal.stop());
  return portal;
}
