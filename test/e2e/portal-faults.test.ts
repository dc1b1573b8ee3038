import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Portal } from './portal/harness.ts';
import { makeSamples, type Samples } from './portal/samples.ts';

/** What single pages say, and do not say, of what could not be read or done. Every page is looked at in
 *  portal-routes.test.ts. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = new Portal();
let samples: Samples;
let page: Page;

beforeAll(async () => {
  await portal.start();
  await portal.signIn();
  samples = await makeSamples(portal.virga);
  // Not listened to: what fails here is meant to.
  page = await portal.context.newPage();
});
afterAll(() => portal.stop());

const BROKEN = { exception_class: 'Broken', message: 'It is broken' };

/** Has calls fail, until the function that it returns is called. */
async function fail(what: RegExp, how: { status?: number; json?: object; headers?: Record<string, string> }) {
  await page.route(what, (route) => route.fulfill({ status: 500, json: BROKEN, ...how }));
  return () => page.unroute(what);
}

const says = (text: string | RegExp, within = 'main') =>
  page.locator(within).getByText(text).first().waitFor();
const alerts = () => page.locator('main [role=alert]');

test('a server that is too busy is not asked before it has said to, also by pages that are live', async () => {
  const busy = await portal.context.newPage();
  let requested = 0;
  await busy.clock.install();
  await busy.route(/\/lblisteners\//, (route) => {
    requested += 1;
    const json = { message: 'Too many requests; try again in 20 s' };
    return route.fulfill({ status: 429, headers: { 'retry-after': '20' }, json });
  });
  await portal.go(2, `load-balancers/${samples['load-balancers']}`, busy);
  const countdown = busy.getByText(/It is asked again by itself in \d+ s\./);
  await countdown.waitFor();
  // From here on only the test moves the clock.
  await busy.clock.pauseAt(await busy.evaluate<number>('Date.now() + 500'));
  const left = Number(/in (\d+) s/.exec(await countdown.innerText())?.[1]);
  // Once is enough to say when.
  expect(await busy.locator('main [role=alert]').innerText()).not.toContain('ry again in 20 s');
  const before = requested;
  await busy.clock.runFor((left - 2) * 1000);
  expect(requested).toBe(before);
  await busy.clock.runFor(4_000);
  await expect.poll(() => requested).toBeGreaterThan(before);
  // The pages of a context share one clock.
  await busy.clock.resume();
  await busy.close();
});

test('what could not be read again says how old it is', async () => {
  const later = await portal.context.newPage();
  const old = later.getByText(/This is from \d+ (s|min) ago: it could not be read again. It is broken/);
  await later.clock.install();
  await portal.go(2, 'volumes', later);
  await later.getByRole('link', { name: 'bakery-flour' }).waitFor();
  await later.route(/\/volumes\//, (route) => route.fulfill({ status: 500, json: BROKEN }));
  await later.clock.fastForward(301_000);
  await old.waitFor();
  await later.getByRole('link', { name: 'bakery-flour' }).waitFor();
  await later.unrouteAll();
  await portal.go(2, `load-balancers/${samples['load-balancers']}`, later);
  await later.getByRole('tab', { name: 'Pools and members' }).waitFor();
  await later.route(/\/lbpools\//, (route) => route.fulfill({ status: 500, json: BROKEN }));
  await later.clock.fastForward(301_000);
  await old.waitFor();
  await later.unrouteAll();
  await later.clock.runFor(6_000);
  await old.waitFor({ state: 'detached' });
  await later.close();
});

test('a load balancer whose pools cannot be read keeps its name and what is known of it', async () => {
  const mended = await fail(/\/lbpools\//, {});
  await portal.go(2, `load-balancers/${samples['load-balancers']}`, page);
  await says('It is broken');
  await page.getByRole('heading', { level: 1, name: 'bakery-shop' }).waitFor();
  await mended();
  // It looks again after five seconds.
  await page.getByRole('tab', { name: 'Pools and members' }).waitFor();
});

test('a network names which of its parts could not be read', async () => {
  const mended = await fail(/\/ports\//, {});
  await portal.go(2, `networks/${samples.networks}`, page);
  await page.getByRole('heading', { name: 'Who uses which address' }).waitFor();
  await page.getByRole('heading', { name: 'bakery-subnet' }).waitFor();
  await mended();
});

test('quotas are shown when the threshold of the warning cannot be read, and nothing is guessed of it', async () => {
  const mended = await fail(/notification_threshold|limits_request/, {});
  await portal.go(2, 'quotas', page);
  await says('Load balancers');
  await expect.poll(() => alerts().count()).toBe(2);
  expect(await page.locator('main').innerText()).not.toContain('You are warned');
  expect(await page.locator('.mantine-Skeleton-root').count()).toBe(0);
  await mended();
});

test('without the list of regions, no page waits for ever', async () => {
  const mended = await fail(/\/v1\/regions/, {});
  await portal.go(2, '', page);
  await expect.poll(() => page.getByText('How many there are could not be read').count()).toBe(2);
  await page.getByRole('button', { name: /^Region/ }).click();
  await page.getByRole('listbox').getByText('could not be read. It is broken').waitFor();
  await portal.operate('simulation', page);
  await says('It is broken');
  await expect
    .poll(() => page.getByRole('button', { name: 'Set fault' }).getAttribute('aria-disabled'))
    .toBe('true');
  await mended();
});

test('what a failed request is called in the log is shown, whichever body it came in', async () => {
  const problem = {
    title: 'Internal server error',
    status: 500,
    detail: 'The request id names it in the log.',
  };
  const mended = await fail(/custom-page-sets/, {
    json: problem,
    headers: { 'x-request-id': 'the-request' },
  });
  await portal.go(2, 'response-pages', page);
  await alerts().getByText('the-request').waitFor();
  await mended();
});

test('who may not read something hears who can change that', async () => {
  const detail = 'This call needs the role Administrators; you have Users';
  const mended = await fail(/\/iam\/users/, { status: 403, json: { detail } });
  await page.goto(`${portal.virga.url}/account/people`);
  await alerts().getByText(detail).waitFor();
  await alerts().getByText('An administrator of the account can change your role').waitFor();
  await mended();
});

test('what was pressed and did not come about is said', async () => {
  const toast = page.locator('.mantine-Notification-root');
  const unfetched = await fail(/\/config$/, {});
  await portal.go(2, `kubernetes/${samples.kubernetes}`, page);
  await page.getByRole('button', { name: 'Download kubeconfig' }).click();
  await toast.getByText('Kubeconfig of bakery-kitchen: failed').waitFor();
  await unfetched();
  await page.goto(`${portal.virga.url}/account/sessions`);
  const unended = await fail(/\/v1\/sessions\//, { status: 409 });
  await page.getByRole('button', { name: 'Actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Sign out there' }).click();
  await toast.getByText('Sign out there: refused').waitFor();
  expect(page.url()).toContain('/account/sessions');
  await unended();
});

test('nothing is called empty, or not there, that could not be read', async () => {
  const mended = await fail(/\/(tasks\?|client_quotas|search\?|get_console)/, {});
  await portal.go(2, 'floating-ips', page);
  await page.getByRole('button', { name: 'Tasks: What is running could not be read' }).click();
  await page.getByRole('dialog').getByText('It is broken').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search' }).fill('no-such-name');
  await page.getByRole('dialog').getByText('It is broken').waitFor();
  await page.keyboard.press('Escape');
  await portal.go(2, 'instances/new', page);
  await page.getByRole('heading', { name: 'Quota' }).waitFor();
  await portal.go(2, `instances/${samples.instances}`, page);
  await page.getByRole('button', { name: 'Actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Open console…' }).click();
  await page.getByRole('dialog').getByText('It is broken').waitFor();
  await mended();
});

test('a form that is refused for no field leads to why, and says once what several parts share', async () => {
  const unwell = await fail(/\/ssh_keys\/1$/, { status: 409 });
  await portal.go(2, 'ssh-keys?new=1', page);
  const form = page.getByRole('dialog', { name: 'Add SSH key' });
  await form.getByLabel('Name').fill('spare');
  await form.getByLabel('Public key').fill('ssh-ed25519 AAAA');
  await form.getByRole('button', { name: 'Add SSH key' }).press('Enter');
  await form.getByRole('alert').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('alert');
  await unwell();
  const twice = { 'requested_limits.a': ['must be less'], 'requested_limits.b': ['must be less'] };
  const refused = await fail(/limits_request$/, {
    status: 400,
    json: { message: 'No', invalid_fields: twice },
  });
  await portal.go(2, 'quotas', page);
  await page.getByRole('link', { name: 'Request more' }).click();
  await page.getByLabel('New limit').fill('7');
  await page.getByLabel('Reason').fill('More bread');
  await page.getByRole('dialog').getByRole('button', { name: 'Request more' }).click();
  await page.getByText('must be less', { exact: true }).waitFor();
  await refused();
});

test('why several choices were refused is not covered by the choices', async () => {
  await portal.go(2, 'ports', page);
  const refuse = { message: 'No', invalid_fields: { 'security_group_ids.0': ['is of another project'] } };
  await page.route(/\/ports\//, (route) =>
    route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 400, json: refuse }),
  );
  await page
    .getByRole('row', { name: /instance/ })
    .getByRole('button', { name: 'Actions' })
    .click();
  await page.getByRole('menuitem', { name: 'Security groups…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByText('is of another project').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.ariaInvalid')).toBe('true');
  expect(await page.getByRole('option').count()).toBe(0);
  await page.unroute(/\/ports\//);
});

test('an invitation is not called used when it could not be read, nor declined when it was not', async () => {
  const json = { message: 'Too many requests; try again in 9 s' };
  const calm = await fail(/invitations\/show/, { status: 429, json, headers: { 'retry-after': '9' } });
  await page.goto(`${portal.virga.url}/invitation/open#not-a-token`);
  await says('Too many requests');
  expect(await page.getByText('This link has expired').count()).toBe(0);
  await calm();
  await page.getByRole('button', { name: 'Try again' }).click();
  await says('This link has expired');
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  const shown = {
    client_name: 'Bakery',
    email: 'a@example.com',
    user_role: { name: 'Users' },
    has_account: true,
  };
  const real = await fail(/invitations\/show/, { status: 200, json: shown });
  const undone = await fail(/invitations\/decline/, {});
  await page.reload();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.locator('.mantine-Notification-root').getByText('Decline the invitation: failed').waitFor();
  await page.getByRole('heading', { name: 'Join Bakery' }).waitFor();
  await real();
  await undone();
});

test('a read that is sent like a write is not said to have arrived', async () => {
  await page.route(/\/metrics$/, (route) => route.abort('connectionrefused'));
  await portal.go(2, `instances/${samples.instances}?tab=metrics`, page);
  await says('This could not be read: Virga does not answer');
  await page.unroute(/\/metrics$/);
});

test('each fault of response pages is said once, beside its field, which has the focus', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const loc = ['body', 'name'];
  const json = { detail: 'Some fields are not valid', errors: [{ loc, detail: 'must be shorter' }] };
  const mended = await fail(/custom-page-sets$/, { status: 422, json });
  await portal.go(2, 'response-pages/new', page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByText('must be shorter').count()).toBe(1);
  await expect.poll(() => page.evaluate('document.activeElement.ariaInvalid')).toBe('true');
  // All six pages can be chosen in a narrow window.
  for (const name of ['Blocked', 'JavaScript is off'])
    expect((await page.getByRole('radio', { name }).locator('..').boundingBox())?.x).toBeLessThan(390);
  await mended();
});
