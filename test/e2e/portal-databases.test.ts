import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { askOnce } from '../harness/local-postgresql.ts';
import { lookFor } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { Portal } from './portal/harness.ts';

/** A PostgreSQL is made in the portal, used with what the portal shows, lost, found again and restored. */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const fault = (await lookFor(['postgresql-18'])).faultOf('postgresql-18');
const portal = new Portal();
const NAME = 'orders';
const CLUSTER = `/cloud/v1/dbaas/postgres/clusters/1/1/${NAME}`;
const dialog = () => portal.page.getByRole('dialog');
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
const tab = (name: string) => portal.page.getByRole('tab', { name }).click();
const ready = (name = NAME) =>
  waitUntil(
    async () =>
      (await portal.virga.call('GET', CLUSTER.replace(NAME, name))).body.status === 'READY' || undefined,
    { what: `${name} to be ready` },
  );
const verb = async (name: string) => {
  await portal.page.getByRole('button', { name: 'Actions' }).first().click();
  await portal.page.getByRole('menuitem', { name }).click();
};

/** The process of a server of the only cluster. */
function pidOf(server: string): number {
  const root = portal.kept('regions', '1', 'postgresql');
  // Beside clusters there are templates, and settings that are being checked.
  const id = readdirSync(root).find((name) => !/^(templates$|check-)/.test(name)) ?? '';
  const data = server === 'a' ? 'data' : path.join(server, 'data');
  return Number(readFileSync(path.join(root, id, data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

describe.skipIf(fault !== undefined)(`databases${fault ? `: skipped, ${fault}` : ''}`, () => {
  let url: string;

  const ask = (sql: string, at = url) =>
    askOnce({ connectionString: at.replace('?sslmode=require', '') }, sql);
  const servers = async () =>
    (await portal.virga.call('GET', `/virga/v1/postgresql_clusters/1/1/${NAME}/servers`)).body;

  beforeAll(async () => {
    await portal.start();
    await portal.signIn();
  });
  afterAll(() => portal.stop());

  test('PostgreSQL is set up, and a cluster with a replica is made', async () => {
    const { page } = portal;
    await portal.go(1, 'databases');
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Set up PostgreSQL' }).click();
    await page.getByText('No clusters here').waitFor();
    await page.getByRole('link', { name: 'Create cluster' }).first().click();
    await page.getByLabel('Name').last().fill(NAME);
    await page.getByLabel('Storage in GiB').fill('1');
    const acl = page.getByRole('combobox', { name: 'Who may connect' });
    await acl.fill('not an address');
    await acl.press('Enter');
    await page.getByLabel('First database').fill('shop');
    await portal.choose('Replica', /Synchronous/);
    portal.expected.add('400 POST /cloud/v1/dbaas/postgres/clusters/1/1');
    portal.expected.add('422 POST /cloud/v1/dbaas/postgres/clusters/1/1');
    await press('Create cluster');
    await page.getByText(/^must be a(n IP address| network)/).waitFor();
    await acl.press('Backspace');
    await page.getByText('With no address here, nobody can connect.').waitFor();
    await page.getByRole('button', { name: 'Add your address, 127.0.0.1' }).click();
    expect(await portal.barriers()).toEqual([]);
    await press('Create cluster');
    await ready();
    await page.getByText('Could take over now').waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('a password is shown once, and opens the database at the string that is copied', async () => {
    const { page } = portal;
    await page.getByRole('button', { name: 'Show connection string and password' }).click();
    await dialog().getByText('This is the only time').waitFor();
    expect(await portal.barriers()).toEqual([]);
    const [shown = '', user, password = ''] = await dialog().locator('code').allTextContents();
    expect(user).toBe('app');
    await press('I have copied it');
    expect(await page.content()).not.toContain(password);
    await page.getByRole('cell', { name: 'was shown', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Show connection string and password' }).count()).toBe(0);
    expect(shown).toContain(`app:${encodeURIComponent(password)}@`);
    url = shown;
    await ask('create table orders (id int); insert into orders select generate_series(1, 100)');
    expect(await ask('select count(*)::int from orders')).toEqual([{ count: 100 }]);
  });

  test('a user and a database are added', async () => {
    const { page } = portal;
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByLabel('Name').last().fill('reports');
    await press('Add user');
    await page.getByRole('row', { name: /reports login/ }).waitFor();
    await ready();
    await page.getByRole('button', { name: 'Add database' }).click();
    await page.getByLabel('Name').last().fill('numbers');
    await portal.choose('Owner', 'reports');
    await press('Add database');
    await page.getByRole('row', { name: /numbers reports/ }).waitFor();
    await ready();
  });

  test('faults of settings stand on their lines, and what is right is in force', async () => {
    const { page } = portal;
    await tab('Settings');
    const editor = page.getByRole('textbox', { name: /Your own lines/ });
    await editor.fill('work_mem = 12MB\nwork_men = 8MB\nmax_connections = many');
    await page.getByText('2 errors').waitFor();
    const list = page.getByRole('listitem').filter({ hasText: /^Line \d/ });
    expect(await list.allTextContents()).toEqual([
      expect.stringMatching(/^Line 2: .*work_men/),
      expect.stringMatching(/^Line 3: .*max_connections/),
    ]);
    expect(await portal.barriers()).toEqual([]);
    await editor.fill('work_mem = 12MB');
    await page.getByText('No errors').waitFor();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByRole('button', { name: 'Save settings', disabled: true }).waitFor();
    await ready();
    await waitUntil(async () => (await ask('show work_mem'))[0]?.work_mem === '12MB', {
      what: 'the setting to be in force',
    });
  });

  test('the primary is killed: the page shows the other server take over, and its clients go on', async () => {
    const { page } = portal;
    await page.getByText('Could take over now').waitFor();
    const before = page.locator('[data-role=primary]');
    const name = await before.getAttribute('data-server');
    process.kill(pidOf(name ?? ''), 'SIGKILL');
    const after = page.locator(`[data-role=primary]:not([data-server=${name}])`);
    await after.waitFor({ timeout: 120_000 });
    await page.getByText('Failed over').waitFor();
    const rows = await waitUntil(() => ask('select count(*)::int from orders').catch(() => undefined), {
      what: 'the other server to answer',
    });
    expect(rows).toEqual([{ count: 100 }]);
    // The lost one is made anew from it, and could take over in its turn.
    await waitUntil(async () => (await servers()).servers[1]?.is_ready, { what: 'the replica to be back' });
    await page.getByText('Could take over now').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.getByText('Serving', { exact: true }).waitFor();
  });

  test('a backup is made, and a moment is restored into a new cluster', async () => {
    const { page } = portal;
    await tab('Backups');
    await page.getByText('Only operators schedule backups').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill(portal.credential('OPERATOR_TOKEN'));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Start backups' }).click();
    await press('Start backups');
    await page.getByRole('button', { name: 'Restore', exact: true, disabled: false }).waitFor({
      timeout: 120_000,
    });
    expect(await portal.barriers()).toEqual([]);
    const [{ at } = { at: '' }] = (await ask('select now()::text as at')) as { at: string }[];
    await waitUntil(
      async () => (await ask(`select now() > '${at}'::timestamptz + interval '1 s' as ok`))[0]?.ok,
      {
        what: 'the next second',
      },
    );
    await ask('delete from orders');
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    const moment = new Date(new Date(at).getTime() + 1_000);
    const zoned = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
    await page.getByLabel('Point in time').fill(zoned);
    await press('Restore');
    await page.getByRole('link', { name: 'Done. Open it' }).last().click({ timeout: 120_000 });
    await page.getByRole('heading', { name: /orders-restored/ }).waitFor();
    await portal.act(/app/, 'Show password, once');
    await dialog().getByText('This is the only time').waitFor();
    const [, password = ''] = await dialog().locator('code').allTextContents();
    await press('I have copied it');
    const shown = (await page.locator('dd code').first().textContent()) ?? '';
    const restored = shown.replace('app@', `app:${encodeURIComponent(password)}@`);
    expect(await ask('select count(*)::int from orders', restored)).toEqual([{ count: 100 }]);
    expect(await ask('select count(*)::int from orders')).toEqual([{ count: 0 }]);
  });

  test('where its servers could not be read, the page says so, and reads them again', async () => {
    const { page } = portal;
    const servers = `/virga/v1/postgresql_clusters/1/1/${NAME}/servers`;
    portal.expected.add(`500 GET ${servers}`);
    await page.route(`**${servers}`, (route) =>
      route.fulfill({ status: 500, json: { message: 'It is broken' } }),
    );
    await portal.go(1, `databases/${NAME}`);
    await page.getByText('It is broken').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('It is broken').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
  });

  test('settings that nobody could check are not called faultless, and no empty certificate is offered', async () => {
    const { page } = portal;
    const lost = /\/(validate_pg_conf\/|configuration\/|ca_certificate$)/;
    await page.route(lost, (route) => route.fulfill({ status: 500, json: { message: 'It is broken' } }));
    portal.expected.add('500 POST /cloud/v1/dbaas/postgres/validate_pg_conf/1/1');
    portal.expected.add('500 GET /cloud/v1/dbaas/postgres/configuration/1/1');
    portal.expected.add(`500 GET ${CLUSTER}/ca_certificate`);
    await portal.go(1, `databases/${NAME}?tab=settings`);
    await page.getByText('Not checked').waitFor();
    await page.getByRole('alert').getByText('It is broken').waitFor();
    await tab('Connect');
    await page.getByRole('alert').getByText('It is broken').waitFor();
    expect(await page.getByRole('link', { name: 'Download certificate' }).count()).toBe(0);
    await portal.go(1, 'databases?new=1');
    await expect.poll(() => dialog().getByText('could not be read. It is broken').count()).toBe(3);
    expect(await dialog().getByPlaceholder('None is there').count()).toBe(0);
    await page.unroute(lost);
  });

  test('databases are readable in the dark and in a narrow window', async () => {
    const { page } = portal;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const part of ['access', 'settings', 'metrics', 'backups', 'connect']) {
      await portal.go(1, `databases/${NAME}?tab=${part}`);
      await page.getByRole('tabpanel').first().waitFor();
      expect(await portal.barriers(), part).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), part).toBe(390);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('metrics are those of the server, and go on while one looks', async () => {
    const { page } = portal;
    await portal.go(1, `databases/${NAME}`);
    await tab('Metrics');
    await page.getByRole('meter', { name: 'Storage' }).waitFor();
    await page.locator('.u-over').first().waitFor();
    // One comes each minute: the stories before this one have taken the time.
    const history = page.locator('[data-card]', { hasText: 'History' });
    await history.getByText('Read-only: ').waitFor({ timeout: 90_000 });
    await history.getByText('30 days', { exact: true }).click();
    await page.waitForURL(/window=month/);
    await history.locator('.u-over').first().waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('a cluster is deleted when its name is typed', async () => {
    const { page } = portal;
    await portal.go(1, `databases/${NAME}`);
    await verb('Delete…');
    await page.getByLabel(`Type ${NAME} to delete it`).fill(NAME);
    // The page may ask for the cluster in the moment in which it goes.
    for (const part of ['', '/metrics', '/ca_certificate']) portal.expected.add(`404 GET ${CLUSTER}${part}`);
    portal.expected.add(`404 GET /virga/v1/postgresql_clusters/1/1/${NAME}/servers`);
    await press('Delete cluster');
    await page.getByRole('link', { name: NAME, exact: true }).waitFor({ state: 'detached' });
  });

  test('the browser had nothing to complain about', () => {
    expect(portal.complaints).toEqual([]);
  });
});
