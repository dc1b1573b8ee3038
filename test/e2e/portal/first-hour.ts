import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** What somebody does who has never seen the portal: signs in, makes a token, puts a load balancer in front of two
 *  servers, sees one die, upgrades a cluster, sets a warning. */
export function firstHourStories(portal: Portal): void {
  let servers: [Server, Server];
  const map = () => portal.page.locator('[data-card]', { hasText: 'Map' }).first();

  beforeAll(async () => {
    servers = await Promise.all([startServer('one'), startServer('two')]);
  });

  afterAll(() => {
    for (const server of servers ?? []) server.close();
  });

  test('a page leads to signing in, and from there to itself', async () => {
    const { page, virga } = portal;
    await page.goto(`${virga.url}/projects/1/regions/2/quotas`);
    await page.getByRole('heading', { name: 'Sign in to Virga' }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    await portal.picture('sign-in');
    await page.getByLabel('Email address').fill(portal.credential('EMAIL'));
    await page.getByRole('textbox', { name: 'Password' }).fill(portal.credential('PASSWORD'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Quotas' }).waitFor();
  });

  test('the session is a cookie that scripts cannot read', async () => {
    const { context } = portal;
    const cookies = await context.cookies();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  });

  test('browsers keep scripts and styles for a year, and pages not at all', async () => {
    const { url } = portal.virga;
    const page = await fetch(url);
    const asset = /\/assets\/[\w-]+\.js/.exec(await page.text())?.[0] ?? '';
    const kept = [page, await fetch(`${url}${asset}`)].map(({ headers }) => headers.get('cache-control'));
    expect(kept).toEqual(['no-store', 'public, max-age=31536000, immutable']);
  });

  test('a token is made, shown once, and works', async () => {
    const { page, virga } = portal;
    await page.getByRole('link', { name: 'Overview' }).click();
    await map()
      .getByRole('link', { name: /^API token/ })
      .click();
    await page.getByLabel('Name').fill('pipeline');
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'The new token' });
    const token = (await dialog.locator('code').textContent()) ?? '';
    const answer = await fetch(`${virga.url}/iam/clients/me`, {
      headers: { authorization: `APIKey ${token}` },
    });
    expect(answer.status).toBe(200);
    await portal.picture('api-token', dialog.locator('code'));
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'pipeline', exact: true }).waitFor();
    expect(await page.content()).not.toContain(token);
    expect(await portal.barriers()).toEqual([]);
  });

  test('a load balancer is put in front of two servers, and answers', async () => {
    const { page, virga } = portal;
    await page.goto(`${virga.url}/projects/1/regions/1`);
    await map().getByText('Local: real, on machines of this cloud').waitFor();
    await portal.picture('begin');
    await map()
      .getByRole('link', { name: /^Load balancer/ })
      .click();
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('textbox', { name: 'Port', exact: true }).first().fill('8088');
    for (const [index, server] of servers.entries()) {
      await page.getByLabel(`Address of member ${index + 1}`).fill('127.0.0.1');
      await page.getByLabel(`Port of member ${index + 1}`).fill(String(portOf(server)));
    }
    expect(await portal.barriers()).toEqual([]);
    await portal.picture('create-load-balancer');
    // The page hears of the end of the task before it has the answer that names it.
    await page.route('**/cloud/v1/loadbalancers/1/1', async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'POST') await virga.ended({ body: await response.json() });
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Create load balancer' }).click();
    await page.getByRole('heading', { name: /shop/ }).waitFor();
    await page.unrouteAll();
    await page.locator('[data-node][data-meaning="good"]', { hasText: `:${portOf(servers[1])}` }).waitFor();
    const address = (await page.locator('dd code').first().textContent()) ?? '';
    const heard = new Set<string>();
    for (let i = 0; i < 4; i += 1)
      heard.add(await (await fetch(`http://${address}:8088/`, { headers: { connection: 'close' } })).text());
    expect([...heard].sort()).toEqual(['one', 'two']);
  });

  test('a server dies, and the picture shows it', async () => {
    const { page, virga } = portal;
    // As it is made it is checked every 5 s, and three times before it counts as dead.
    const { body: pools } = await virga.call('GET', '/cloud/v1/lbpools/1/1');
    const check = `/cloud/v1/lbpools/1/1/${pools.results[0].id}/healthmonitor`;
    await virga.ended(await virga.call('PATCH', check, { delay: 1, timeout: 1 }));
    const [first] = servers;
    const name = `:${portOf(first)}`;
    await page.getByRole('link', { name: 'Overview' }).click();
    const dead = map().locator('[data-node][data-meaning="degraded"]');
    expect(await dead.count()).toBe(0);
    first.closeAllConnections();
    first.close();
    await dead.filter({ hasText: '1 of 2 online' }).first().waitFor({ timeout: 60_000 });
    await dead.filter({ hasText: 'shop' }).click();
    await page.locator('[data-node][data-meaning="failed"]', { hasText: name }).waitFor({ timeout: 60_000 });
    await page.getByText('Degraded').first().waitFor();
    await page.getByText(/Connection refused\. It went down/).waitFor();
    await portal.picture('load-balancer');
    expect(await portal.barriers()).toEqual([]);
  });

  test('a cluster is upgraded node by node', async () => {
    const { page, virga } = portal;
    const scope = '/cloud/v2/k8s';
    const { body: versions } = await virga.call('GET', `${scope}/1/2/create_versions`);
    const { body: flavors } = await virga.call('GET', '/cloud/v1/k8s/1/2/flavors');
    await virga.call('POST', '/cloud/v1/ssh_keys/1', { name: 'laptop' });
    const task = await virga.ended(
      await virga.call('POST', `${scope}/clusters/1/2`, {
        name: 'kitchen',
        version: versions.results[0].version,
        keypair: 'laptop',
        pools: [
          { name: 'workers', flavor_id: flavors.results[0].flavor_id, min_node_count: 2, max_node_count: 3 },
        ],
      }),
    );
    expect(task.error).toBeNull();
    const nodes = async () =>
      (await virga.call('GET', `${scope}/clusters/1/2/kitchen/instances`)).body.results.map(
        ({ id }: { id: string }) => id,
      );
    const before = await nodes();
    await page.goto(`${virga.url}/projects/1/regions/2/kubernetes/kitchen`);
    await page.getByRole('button', { name: 'Upgrade…' }).click();
    await page.getByRole('combobox', { name: /^From/ }).click();
    await page.getByRole('option').last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Upgrade' }).click();
    await page.getByText('to be replaced').first().waitFor();
    await portal.picture('cluster-upgrade');
    // The page says so as well, but only until it has read the cluster again.
    await page.getByRole('alert').getByText(/^Done/).waitFor({ timeout: 60_000 });
    const after = await nodes();
    expect(after).toHaveLength(before.length);
    expect(after.filter((id: string) => before.includes(id))).toEqual([]);
    expect(await portal.barriers()).toEqual([]);
  });

  test('a warning is set', async () => {
    const { page, virga } = portal;
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('link', { name: 'Quotas' }).click();
    const warn = page.getByLabel('Warn at, in percent');
    await warn.fill('70');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('when one reaches 70 %').waitFor();
    expect((await virga.call('GET', '/cloud/v2/client_quotas/1/notification_threshold')).body.threshold).toBe(
      70,
    );
    await portal.picture('warning');
    expect(await portal.barriers()).toEqual([]);
  });

  test('what a load balancer consists of is changed in forms', async () => {
    const { page, virga } = portal;
    await portal.go(1, 'load-balancers');
    await page.getByRole('link', { name: 'shop' }).click();
    await page.getByText('every 1 s').waitFor();
    await page.getByRole('button', { name: 'Actions' }).last().click();
    await page.getByRole('menuitem', { name: 'Health check…' }).click();
    await page.getByLabel('Interval in seconds').fill('7');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('every 7 s').waitFor();
    await page.getByRole('tab', { name: 'Listeners' }).click();
    await page
      .getByRole('row', { name: /HTTP 8088/ })
      .getByRole('button', { name: 'Actions' })
      .click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await page.getByLabel('Connection limit').fill('500');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '500 connections' }).waitFor();
    const { body } = await virga.call('GET', '/cloud/v1/lblisteners/1/1');
    expect(body.results[0].connection_limit).toBe(500);
    expect(await portal.barriers()).toEqual([]);
  });

  test('⌘K finds a load balancer by its name', async () => {
    const { page, virga } = portal;
    await page.goto(`${virga.url}/projects/1/regions/1`);
    await page.getByRole('heading', { name: 'default in Local' }).waitFor();
    await portal.picture('overview');
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search' }).fill('shop');
    await page.getByRole('dialog').getByText('Load balancer', { exact: true }).click();
    await page.getByRole('heading', { name: /shop/ }).waitFor();
  });

  test('pages that stay open ask little', () => {
    // Ten pages, each with a dozen questions, and the events of some twenty tasks.
    expect(portal.requested).toBeLessThan(1_500);
  });
}

function startServer(name: string): Promise<Server> {
  const server = createServer((_request, response) => response.end(name));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
