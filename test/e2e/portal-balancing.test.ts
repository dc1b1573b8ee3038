import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { waitUntil } from '../harness/wait.ts';
import { Portal } from './portal/harness.ts';
import { Questions, visit } from './portal/visits.ts';

/** A load balancer is grown in the portal, part by part, and real requests go the way that the forms say. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = new Portal();
let servers: readonly Server[];
let id: string;
let address: string;

beforeAll(async () => {
  await portal.start();
  await portal.signIn();
  servers = await Promise.all(['web', 'api', 'spare'].map(startServer));
  const { virga } = portal;
  const task = await virga.ended(
    await virga.call('POST', '/cloud/v1/loadbalancers/1/1', {
      name: 'shop',
      listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 8091 }],
    }),
  );
  id = task.created_resources?.loadbalancers?.[0] ?? '';
  address = (await virga.call('GET', `/cloud/v1/loadbalancers/1/1/${id}`)).body.vip_address;
});
afterAll(async () => {
  for (const server of servers ?? []) server.close();
  await portal.stop();
});

const ask = async (path: string): Promise<string> => {
  const answer = await fetch(`http://${address}:8091${path}`, {
    headers: { connection: 'close' },
    redirect: 'manual',
  });
  return answer.ok ? answer.text() : String(answer.status);
};
const comes = (path: string, what: string) =>
  waitUntil(async () => (await ask(path)) === what, { what: `${path} to be answered with ${what}` });
const save = (button: string) =>
  portal.page.getByRole('dialog').getByRole('button', { name: button }).click();

async function addPool(
  name: string,
  server: Server | undefined,
  serves: 'its listener' | 'rules',
): Promise<void> {
  const { page } = portal;
  await page.getByRole('button', { name: 'Add pool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  if (serves === 'its listener') {
    expect(await page.getByRole('combobox', { name: 'Listener that it serves' }).inputValue()).toContain(
      '8091',
    );
  }
  const members = page.getByRole('combobox', { name: 'Members', exact: true });
  await members.fill(`127.0.0.1:${portOf(server)}`);
  await members.press('Enter');
  expect(await portal.barriers()).toEqual([]);
  await save('Add pool');
  await page.getByRole('heading', { name: new RegExp(`^${name}`) }).waitFor();
}

test('nothing of it is called empty, or offered to be changed, before it is known', async () => {
  const { page } = portal;
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const listeners = /\/lblisteners\//;
  await page.route(listeners, async (route) => {
    await held;
    await route.continue();
  });
  const others = ['loadbalancers', 'lbpools', 'l7policies'].map((noun) =>
    page.waitForResponse(new RegExp(`/${noun}/1/1`)),
  );
  await portal.go(1, `load-balancers/${id}`);
  await Promise.all(others);
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  expect(await page.getByText('It listens to nothing yet').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Add pool' }).count()).toBe(0);
  answer();
  await page.getByRole('button', { name: 'Add pool' }).waitFor();
  await page.unroute(listeners);
});

/** As long as a name may be. */
const LONGEST = `web${'-pool'.repeat(12)}`;

test('a pool that is added to a listener gets its requests, and has room in the picture', async () => {
  await addPool(LONGEST, servers[0], 'its listener');
  await comes('/', 'web');
  await portal.page.locator('[data-node]', { hasText: LONGEST }).waitFor();
  const address = new URL(portal.page.url()).pathname;
  const sight = await visit(portal.page, new Questions(portal.page), address);
  expect(sight.flaws).toEqual([]);
});

test('another member is added as the code beside the form says; what is refused stands at its field', async () => {
  const { page, virga } = portal;
  const { body: pools } = await virga.call('GET', '/cloud/v1/lbpools/1/1');
  const members = `/cloud/v1/loadbalancers/1/1/pools/${pools.results[0].id}/members`;
  const field = page.getByRole('textbox', { name: 'Address' });
  await page.getByRole('button', { name: 'Add member' }).click();
  await page.getByRole('textbox', { name: 'Port' }).fill(String(portOf(servers[2])));
  await field.fill('nowhere');
  portal.expected.add(`400 POST ${members}`);
  await save('Add member');
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  expect(await portal.barriers()).toEqual([]);
  await field.fill('127.0.0.1');
  await page.getByRole('textbox', { name: 'Weight' }).fill('3');
  const code = await page.getByRole('dialog').getByRole('tabpanel').innerText();
  const sent = page.waitForRequest(
    (request) => request.method() === 'POST' && /members$/.test(request.url()),
  );
  await save('Add member');
  const request = await sent;
  expect(code).toContain(`curl -X POST ${virga.url}${members}`);
  expect(request.url()).toBe(`${virga.url}${members}`);
  expect(JSON.parse(/-d '(.*?)'/s.exec(code)?.[1] ?? '')).toEqual(request.postDataJSON());
  expect(request.postDataJSON()).toEqual({
    address: '127.0.0.1',
    protocol_port: portOf(servers[2]),
    weight: 3,
  });
  await comes('/', 'spare');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { body: pool } = await virga.call('GET', `/cloud/v1/lbpools/1/1/${pools.results[0].id}`);
  const added = pool.members.find(({ weight }: { weight: number }) => weight === 3);
  await virga.ended(await virga.call('DELETE', `${members}/${added.id}`));
});

test('it is resized, and the button of its actions has the focus again', async () => {
  const { page } = portal;
  const actions = page.getByRole('button', { name: 'Actions' }).first();
  await actions.click();
  await page.getByRole('menuitem', { name: 'Resize…' }).click();
  await portal.choose('Size', /lb1-2-4/);
  expect(await portal.barriers()).toEqual([]);
  await save('Resize');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect
    .poll(() => actions.evaluate((button) => button === button.ownerDocument.activeElement))
    .toBe(true);
  await page.getByText('lb1-2-4', { exact: true }).waitFor();
});

test('a policy with a rule sends some requests to another pool', async () => {
  const { page } = portal;
  await addPool('api', servers[1], 'rules');
  await page.getByRole('tab', { name: 'Policies' }).click();
  await page.getByText('No policies').waitFor();
  await page.getByRole('button', { name: 'Add policy' }).click();
  await page.getByLabel('Name').last().fill('to the api');
  await portal.choose('Pool', 'api');
  expect(await portal.barriers()).toEqual([]);
  await save('Add policy');
  await page.getByText('is sent to the pool api').waitFor();
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Value').fill('/api');
  await save('Add rule');
  await page.getByRole('cell', { name: 'Path begins with /api' }).waitFor();
  await comes('/api/orders', 'api');
  await comes('/orders', 'web');
  expect(await portal.barriers()).toEqual([]);
});

test('a rule and a policy are changed, and deleted again', async () => {
  const { page } = portal;
  await portal.act(/Path begins with/, 'Edit…');
  await page.getByLabel('Value').fill('/v2');
  await save('Save');
  await page.getByRole('cell', { name: 'Path begins with /v2' }).waitFor();
  await comes('/v2/orders', 'api');
  await page.getByRole('button', { name: 'Actions' }).nth(1).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  await portal.choose('Action', 'Reject it');
  await save('Save');
  await page.getByText('is refused').waitFor();
  await comes('/v2/orders', '403');
  await portal.act(/Path begins with/, 'Delete…');
  await save('Delete rule');
  await page.getByText('Without a rule it decides nothing').waitFor();
  await comes('/v2/orders', 'web');
  await page.getByRole('button', { name: 'Actions' }).nth(1).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  // The page may ask for its rules in the moment in which it goes.
  const { body } = await portal.virga.call('GET', '/cloud/v1/l7policies/1/1');
  portal.expected.add(`404 GET /cloud/v1/l7policies/1/1/${body.results[0].id}/rules`);
  await save('Delete policy');
  await page.getByText('No policies').waitFor();
});

test('30 days of responses, response times and connections are drawn, with when it was in need', async () => {
  const { page } = portal;
  const begin = Date.now() - 3_600_000;
  const results = Array.from({ length: 60 }, (_, minute) => ({
    time: new Date(begin + minute * 60_000).toISOString().replace(/\.\d+Z$/, 'Z'),
    connections_per_second: 3,
    responses_per_second: { '2xx': 20 + minute, '3xx': 1, '4xx': 0, '5xx': minute > 50 ? 4 : 0, other: 0 },
    response_milliseconds: minute < 5 ? null : 12 + minute,
    alert: minute > 50 ? 'ERROR' : minute > 40 ? 'DEGRADED' : null,
  }));
  let requested = '';
  await page.route(/\/series\?/, (route) => {
    requested = route.request().url();
    return route.fulfill({ json: { count: results.length, results } });
  });
  await portal.go(1, `load-balancers/${id}?tab=metrics&window=month`);
  const requests = page.locator('[data-card]', { hasText: 'Requests' });
  await requests.getByText('Responses by status code').waitFor();
  expect(new URL(requested).searchParams.get('hours')).toBe('720');
  const alerts = page.getByRole('region', { name: 'Alerts in this time' });
  await alerts.getByText('Degraded').waitFor();
  expect(await alerts.getByRole('listitem').count()).toBe(2);
  expect(await requests.locator('canvas').count()).toBe(3);
  expect(await portal.barriers()).toEqual([]);
  await portal.leave();
});

test('of five hundred policies, those are drawn and asked for their rules that are looked at', async () => {
  const { page, virga } = portal;
  const { body } = await virga.call('GET', `/cloud/v1/lblisteners/1/1?load_balancer_id=${id}`);
  const policies = Array.from({ length: 500 }, (_, index) => manyPolicy(body.results[0].id, index + 1));
  const requested: string[] = [];
  const all = /\/l7policies\/1\/1/;
  await page.route(all, (route) => {
    const policy = /([^/]+)\/rules/.exec(route.request().url())?.[1];
    if (!policy) return route.fulfill({ json: { count: policies.length, results: policies } });
    requested.push(policy);
    return route.fulfill({ json: { count: 2, results: [1, 2].map((rule) => manyRule(policy, rule)) } });
  });
  await portal.go(1, `load-balancers/${id}?tab=policies`);
  await page.getByRole('heading', { name: /^policy 1 Online/ }).waitFor();
  await page.getByRole('cell', { name: `Path begins with /${policies[0]?.id}/2` }).waitFor();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await page.getByRole('heading', { name: /^policy 500 Online/ }).waitFor();
  await page.getByRole('cell', { name: `Path begins with /${policies[499]?.id}/2` }).waitFor();
  expect(await page.getByRole('button', { name: 'Add rule' }).count()).toBeLessThan(30);
  await portal.act(`Path begins with /${policies[499]?.id}/2`, 'Edit…');
  expect(await page.getByRole('dialog').getByLabel('Value').inputValue()).toBe(`/${policies[499]?.id}/2`);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(requested.length).toBeLessThan(60);
  await portal.leave();
});

test('of five thousand members, those are drawn that are looked at, and each can be changed', async () => {
  const { page, virga } = portal;
  const { body } = await virga.call('GET', `/cloud/v1/lbpools/1/1?load_balancer_id=${id}&details=true`);
  const [pool] = body.results;
  const members = Array.from({ length: 5_000 }, (_, index) => manyMember(index + 1));
  const all = /\/lbpools\/1\/1\?/;
  await page.route(all, (route) => route.fulfill({ json: { count: 1, results: [{ ...pool, members }] } }));
  // There is no tab of this name: the first is shown.
  await portal.go(1, `load-balancers/${id}?tab=pools`);
  const rows = page.getByRole('table', { name: `Members of ${pool.name}` }).getByRole('row');
  await rows.filter({ hasText: '10.0.0.1:1' }).first().waitFor();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const last = rows.filter({ hasText: '10.0.0.1:5000' });
  await last.waitFor();
  expect(await last.getAttribute('aria-rowindex')).toBe('5000');
  expect(await rows.count()).toBeLessThan(120);
  const changed = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.route(/\/members\//, (route) => route.fulfill({ json: { tasks: [] } }));
  await last.getByRole('button', { name: 'Disable' }).click();
  expect((await changed).url()).toContain(`/members/${members.at(-1)?.id}`);
  await portal.leave();
});

test('of five hundred pools, those are drawn that are looked at', async () => {
  const { page, virga } = portal;
  const { body } = await virga.call('GET', `/cloud/v1/lbpools/1/1?load_balancer_id=${id}&details=true`);
  const [pool] = body.results;
  const results = Array.from({ length: 500 }, (_, index) => ({
    ...pool,
    id: numbered(index + 1),
    name: `pool ${index + 1}`,
    members: [manyMember(index + 1)],
  }));
  await page.route(/\/lbpools\/1\/1\?/, (route) => route.fulfill({ json: { count: 500, results } }));
  await portal.go(1, `load-balancers/${id}`);
  await page.getByRole('heading', { name: /^pool 1 / }).waitFor();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await page.getByRole('heading', { name: /^pool 500 / }).waitFor();
  expect(await page.getByRole('button', { name: 'Add member' }).count()).toBeLessThan(30);
  // So is the picture, which scrolls within its frame.
  const picture = page.getByRole('figure');
  expect(await picture.locator('[data-node]').count()).toBeLessThan(100);
  await page.evaluate("document.querySelector('figure').parentElement.scrollTop = 1e6");
  await picture.getByText('pool 500', { exact: true }).waitFor();
  expect(await picture.locator('[data-node]').count()).toBeLessThan(100);
  await portal.leave();
});

test('requests are read in the log while they come, and found by status and text', async () => {
  const { page } = portal;
  await portal.go(1, `load-balancers/${id}`);
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText('The access log is off').waitFor();
  expect(await portal.barriers()).toEqual([]);
  await page.getByRole('button', { name: 'Switch on the access log' }).click();
  const lines = page.getByRole('list', { name: 'Lines of the access log' }).getByRole('listitem');
  // Lines are written from the moment on in which the new configuration serves.
  await waitUntil(async () => (await ask('/bread')) === 'web' && (await lines.count()) > 0, {
    what: 'a line in the log',
  });
  await lines.filter({ hasText: 'GET /bread' }).first().waitFor();
  await lines
    .filter({ hasText: `${LONGEST} · 127.0.0.1` })
    .first()
    .waitFor();
  await ask('/cake');
  await lines.filter({ hasText: 'GET /cake' }).waitFor();
  expect(await portal.barriers()).toEqual([]);
  await page.getByRole('textbox', { name: 'Text' }).fill('CAKE');
  await page.waitForURL(/text=CAKE/);
  await lines.filter({ hasText: 'GET /bread' }).first().waitFor({ state: 'detached' });
  expect(await lines.count()).toBe(1);
  await portal.choose('Status', /5xx/);
  await page.getByText('No matching lines').waitFor();
  await page.reload();
  await page.getByText('No matching lines').waitFor();
  expect(await portal.barriers()).toEqual([]);
});

test('the browser had nothing to complain about', () => {
  expect(portal.complaints).toEqual([]);
});

const numbered = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const SCOPE = { project_id: 1, region_id: 1, region: 'local' };
const FINE = { tags: [], operating_status: 'ONLINE', provisioning_status: 'ACTIVE', task_id: null };

const manyPolicy = (listener_id: string, position: number) => ({
  id: numbered(position),
  ...SCOPE,
  ...FINE,
  listener_id,
  name: '',
  position,
  action: 'REJECT',
  redirect_url: null,
  redirect_prefix: null,
  redirect_pool_id: null,
  redirect_http_code: null,
  rules: [1, 2].map((rule) => ({ id: numbered(1000 * rule + position), ...SCOPE })),
});

const manyMember = (port: number) => ({
  id: numbered(port),
  ...FINE,
  address: '10.0.0.1',
  protocol_port: port,
  weight: 1,
  backup: false,
  admin_state_up: true,
  monitor_address: null,
  monitor_port: null,
  subnet_id: null,
  instance_id: null,
});

const manyRule = (policy: string, rule: number) => ({
  id: numbered(1000 * rule + Number(policy.slice(-12))),
  ...SCOPE,
  ...FINE,
  invert: false,
  type: 'PATH',
  compare_type: 'STARTS_WITH',
  key: null,
  value: `/${policy}/${rule}`,
});

function startServer(name: string): Promise<Server> {
  const server = createServer((_request, response) => response.end(name));
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const portOf = (server: Server | undefined) =>
  ((server ?? servers[0])?.address() as AddressInfo | undefined)?.port;
