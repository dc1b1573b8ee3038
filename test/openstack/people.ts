import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { installSdk, VERSIONS } from '../compat/sdk.ts';
import { launchBrowser } from '../harness/browser.ts';
import { API_KEY } from '../harness/process.ts';
import { PATIENCE_MS } from '../harness/wait.ts';
import { REGION } from './cloud.ts';
import type { Nodes } from './nodes.ts';

/** Who has a shop: a network on a router, and a load balancer with a floating IP in front of servers on it. */
export interface Person {
  makeNetworks(): Promise<void>;
  /** Orders it, and says so when it is there.
   *  @param addresses of the servers */
  makeBalancer(addresses: readonly string[]): Promise<void>;
  /** Whether the load balancer is shown so: `ONLINE`, `DEGRADED`. */
  sees(status: string): Promise<boolean>;
  removeBalancer(): Promise<void>;
  removeNetworks(): Promise<void>;
  close(): Promise<void>;
}

/** By the newest of the public SDK.
 *  @throws saying why it cannot be had */
export async function programmer({ api }: Nodes): Promise<Person> {
  const { python, missing } = installSdk(VERSIONS[VERSIONS.length - 1] ?? '');
  if (python === undefined) throw new Error(missing);
  const script = path.join(import.meta.dirname, 'person.py');
  const env = {
    PATH: process.env.PATH,
    GCORE_BASE_URL: api.url,
    GCORE_API_KEY: API_KEY,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const run = async (...words: readonly string[]): Promise<Record<string, string>> =>
    JSON.parse((await promisify(execFile)(python, ['-W', 'ignore', script, ...words], { env })).stdout);
  let made: Record<string, string> = {};
  const its = (name: string) => made[name] ?? '';
  return {
    async makeNetworks() {
      made = await run('networks');
    },
    async makeBalancer(addresses) {
      made = Object.assign(made, await run('balancer', its('subnet'), ...addresses));
    },
    sees: async (status) => (await run('status', its('id'))).status === status,
    async removeBalancer() {
      await run('remove', its('id'), its('floating'));
    },
    async removeNetworks() {
      await run('remove_networks', its('network'), its('router'));
    },
    async close() {},
  };
}

const WORDS: Readonly<Record<string, string>> = { ONLINE: 'Online', DEGRADED: 'Degraded' };

/** By the portal, in a real browser. */
export async function visitor(nodes: Nodes): Promise<Person> {
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(PATIENCE_MS);
  const go = (target: string) => page.goto(`${nodes.api.url}/projects/1/regions/${REGION}/${target}`);
  await page.goto(`${nodes.api.url}/sign-in`);
  await page.getByLabel('Email address').fill(nodes.credential('EMAIL'));
  await page.getByRole('textbox', { name: 'Password' }).fill(nodes.credential('PASSWORD'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account and appearance' }).waitFor();
  return {
    async makeNetworks() {
      await go('networks?new=1');
      await page.getByLabel('Name').last().fill('shop');
      await page.getByRole('switch', { name: 'Create a router for it' }).click();
      await page.getByRole('button', { name: 'Create network' }).click();
      await page.getByRole('link', { name: 'Done. Open it' }).click();
      await page.getByRole('link', { name: 'Create subnet' }).first().click();
      await page.getByLabel('Name').last().fill('shop');
      await page.getByLabel('CIDR').fill('10.9.0.0/24');
      await page.getByRole('dialog').getByRole('button', { name: 'Create subnet' }).click();
      // The form says it, too, in its preview of the call.
      await page.getByRole('main').getByText('10.9.0.0/24').first().waitFor();
      await go('routers?new=1');
      await page.getByLabel('Name').last().fill('door');
      await choose(page, 'Subnets', /shop/);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Create router' }).last().click();
      await page.getByRole('link', { name: 'Done. Open it' }).last().click();
      await page.getByRole('link', { name: 'shop' }).first().waitFor();
    },
    async makeBalancer(addresses) {
      await go('load-balancers/new');
      const main = page.locator('main');
      await main.getByRole('textbox', { name: 'Name' }).fill('shop');
      await choose(page, 'Subnet', /shop/);
      await main.getByRole('switch', { name: 'With a floating IP' }).click();
      await choose(page, 'Protocol', 'TCP');
      await choose(page, 'Load balancing algorithm', 'By source address');
      for (const [index, address] of addresses.entries())
        await main.getByRole('textbox', { name: `Address of member ${index + 1}` }).fill(address);
      await main.getByRole('button', { name: 'Create load balancer' }).click();
      await page.waitForURL(/load-balancers\/[0-9a-f-]{36}/);
      await page.getByRole('heading', { name: /shop (Online|Degraded)/ }).waitFor();
    },
    // The page hears by itself of what has changed.
    sees: (status) => page.getByRole('heading', { name: `shop ${WORDS[status]}` }).isVisible(),
    async removeBalancer() {
      await page.getByRole('button', { name: 'Actions' }).first().click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByLabel('Type shop to delete it').fill('shop');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete load balancer' }).click();
      await page.waitForURL(/load-balancers$/);
      await go('floating-ips');
      await deleteRow(page, /nothing/, 'Delete floating IP');
    },
    async removeNetworks() {
      await go('routers');
      await deleteRow(page, /door/, 'Delete router', 'door');
      await go('networks');
      await deleteRow(page, /shop/, 'Delete network', 'shop');
    },
    close: () => browser.close(),
  };
}

async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
}

/** @param asked the name that is to be typed */
async function deleteRow(page: Page, name: RegExp, button: string, asked?: string): Promise<void> {
  const row = page.getByRole('row', { name });
  await row.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  if (asked !== undefined) await page.getByLabel(`Type ${asked} to delete it`).fill(asked);
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
  await row.waitFor({ state: 'detached' });
}
