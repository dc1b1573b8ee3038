import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { pretendEngines } from './engines.ts';
import type { Portal } from './harness.ts';
import { offersOf } from './offers.ts';
import { makeSamples, type Samples } from './samples.ts';
import { addressOf, patternsOf, Questions, visit } from './visits.ts';

const PASSWORD = 'correct horse battery';
const HERE = '/projects/1/regions/2';
const LACK = 'This needs the role Engineers or Administrators; you have Users';

/** What everybody may press: it reads, or is about the person alone. */
const READS = [
  /^Copy /,
  // Marks and views of their own.
  /^(Notifications|Views)(: |$)/,
  /^(Actions|Cancel|Close|Try again|Go to .*)$/,
  /^(Change password…|Sign out there|Sign out everywhere…)$/,
  /^(Add passkey…|Add authenticator app…|New recovery codes…)$/,
  // Of the video page, and of databases.
  /^(Get an address|Download certificate|and \d+ more|Undo changes|Export CSV)$/,
  // It fills in a field.
  /^Add your address, /,
  // Of the operator's gate.
  /^(Continue|Toggle password visibility)$/,
];

/** What changes a form that is a page, and is not sent by that. */
const DRAFTS = [
  /^(Add|Remove) (member|listener|volume|connection)( \d+)?$/,
  /^(Logo…|Blocked|From another site|Captcha|Browser check|Cookies are off|JavaScript is off)$/,
];
const isDraft = (pattern: string) => /\/new$|\/response-pages\/\$id$/.test(pattern);
const isDoor = (pattern: string) => /^\/(sign-in|second-factor|password|invitation)/.test(pattern);
/** Behind the gate are pages of another role than those of people. */
const isGated = (pattern: string) => /^\/operator\/./.test(pattern);

/** What can be pressed on a page and is more than to read. */
const writes = (pattern: string, offers: readonly string[]) => {
  const known = [...READS, ...(isDraft(pattern) ? DRAFTS : [])];
  return offers.filter((name) => !known.some((one) => one.test(name)));
};

/** What somebody whose role is too small for something is offered, and not offered, on every page. */
export function roleStories(portal: Portal): void {
  let samples: Samples;
  let patterns: readonly string[] = [];
  let second: number;
  let reader: Page;
  /** Writes that were sent all the same. */
  const refused: string[] = [];

  beforeAll(async () => {
    patterns = (await patternsOf(portal.page)).filter((one) => !isDoor(one) && !isGated(one));
    const made = await portal.virga.call('POST', '/cloud/v1/projects', { name: 'second' });
    second = made.body.id;
    [samples, reader] = await Promise.all([
      makeSamples(portal.virga),
      join(portal, 'reader@virga.test', 'Users'),
    ]);
    reader.on('response', (response) => {
      const method = response.request().method();
      if (response.status() === 403 && method !== 'GET') refused.push(`${method} ${response.url()}`);
    });
  });

  /** Looks at pages of the router. @returns what each offers */
  async function look(page: Page, which: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
    const found = new Map<string, string[]>();
    const questions = new Questions(page);
    await pretendEngines(page);
    for (const pattern of which) {
      found.set(pattern, await offersOf(page, questions, addressOf(pattern, samples)));
    }
    await page.unrouteAll();
    return found;
  }

  test('Users can press nothing on any page, in any menu or form, that the API would refuse them', async () => {
    const found = await look(reader, patterns);
    const wrong = [...found].flatMap(([pattern, offers]) =>
      writes(pattern, offers).map((name) => `${pattern}: ${name}`),
    );
    expect(wrong).toEqual([]);
    const all = [...found.values()];
    // It has looked into menus and forms.
    expect(all.filter((offers) => offers.includes('Copy ID')).length).toBeGreaterThan(20);
    expect(all.filter((offers) => offers.includes('Cancel')).length).toBeGreaterThan(18);
    expect(found.get('/account/sessions')).toContain('Change password…');
    expect(refused).toEqual([]);
  });

  test('Engineers can press what changes infrastructure, and nothing of the account', async () => {
    const page = await join(portal, 'engineer@virga.test', 'Engineers');
    const isOfAccount = (pattern: string) => /^\/account\/|\/quotas$/.test(pattern);
    const nouns = /\/(volumes|storages|load-balancers)\/\$id$|\/kubernetes\/\$name$/;
    const found = await look(
      page,
      patterns.filter((one) => isOfAccount(one) || nouns.test(one)),
    );
    const offers = (end: string) => [...found].find(([pattern]) => pattern.endsWith(end))?.[1];
    for (const [pattern, names] of found)
      if (isOfAccount(pattern)) expect(writes(pattern, names)).toEqual([]);
    expect(offers('/volumes/$id')).toEqual(expect.arrayContaining(['Take snapshot', 'Extend…', 'Delete…']));
    expect(offers('/kubernetes/$name')).toEqual(expect.arrayContaining(['Download kubeconfig', 'Upgrade…']));
    expect(offers('/storages/$id')).toEqual(expect.arrayContaining(['Create bucket', 'Create key']));
    expect(offers('/load-balancers/$id')).toEqual(
      expect.arrayContaining(['Add member', 'Add listener', 'Fail over', 'Remove']),
    );
    await page.context().close();
  });

  test('a form that somebody may not send can be read and tried, and says once what is missing', async () => {
    await visit(reader, new Questions(reader), `${HERE}/volumes`);
    await reader.keyboard.press('c');
    expect(new URL(reader.url()).search).toBe('');
    await reader.getByRole('button', { name: 'Create volume' }).click({ force: true });
    await reader.getByRole('tooltip').getByText(LACK).waitFor();
    await reader.goto(`${portal.virga.url}${HERE}/volumes?new=1`);
    const form = reader.getByRole('dialog', { name: 'Create volume' });
    await form.getByLabel('Name').fill('flour');
    await form.getByText('"name": "flour"').first().waitFor();
    expect(await form.getByText(LACK).count()).toBe(1);
    await form.getByLabel('Name').press('Enter');
    await reader.getByRole('tooltip').getByText(LACK).waitFor();
    expect(await portal.barriers(reader)).toEqual([]);
    expect(refused).toEqual([]);
  });

  test('what ⌘K finds and the person may not do says so, and leads nowhere', async () => {
    await reader.goto(`${portal.virga.url}${HERE}/networks`);
    await reader.getByRole('link', { name: 'bakery-net' }).waitFor();
    await reader.keyboard.press('Control+k');
    await reader.getByRole('textbox', { name: 'Search' }).fill('Create volume');
    const entry = reader.getByRole('dialog').getByRole('button', { name: 'Create volume' });
    await expect.poll(() => entry.getAttribute('aria-disabled')).toBe('true');
    await reader.keyboard.press('ArrowDown');
    await reader.keyboard.press('Enter');
    expect(reader.url()).toContain('/networks');
    await entry.waitFor();
    await reader.keyboard.press('Escape');
  });

  test('a role in a project opens its pages at once and no others, and closes them when it is taken', async () => {
    const users = (await portal.virga.call('GET', '/cloud/v1/users')).body.results;
    const { id } = users.find(({ email }: { email: string }) => email === 'reader@virga.test');
    const there = `/projects/${second}/regions/2`;
    const questions = new Questions(reader);
    const note = reader.getByText('Read only');
    const create = (name: string) => reader.locator('main').getByRole('link', { name });
    const closed = (name: string) => reader.locator('main').getByRole('button', { name });
    // As when somebody comes back to the window.
    const comeBack = () => reader.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await visit(reader, questions, `${there}/volumes`);
    await closed('Create volume').waitFor();
    await note.waitFor();
    const body = { user_id: id, role: 'User', project_id: second };
    const { body: made } = await portal.virga.call('POST', '/cloud/v1/users/assignments', body);
    await comeBack();
    await create('Create volume').first().waitFor();
    await note.waitFor({ state: 'detached' });
    // Storages belong to the account, and a role in a project is none there.
    await visit(reader, questions, `${there}/storages`);
    await closed('Create storage').waitFor();
    await visit(reader, questions, `${HERE}/volumes`);
    await closed('Create volume').waitFor();
    await visit(reader, questions, `${there}/volumes`);
    await create('Create volume').first().waitFor();
    await portal.virga.call('DELETE', `/cloud/v1/users/assignments/${made.id}`);
    await comeBack();
    await closed('Create volume').waitFor();
  });
}

/** Somebody new in the account, signed in in a browser of their own. */
async function join(portal: Portal, email: string, role: string): Promise<Page> {
  const { virga } = portal;
  await virga.call('POST', '/iam/clients/invite_user', { email, user_role: { name: role }, client_id: 1 });
  const { body } = await portal.asOperator('GET', '/virga/v1/outbox');
  const mail = body.results.find((each: { recipient: string }) => each.recipient === email);
  const token = /^ {2}(\S+)$/m.exec(mail?.body ?? '')?.[1];
  const accepted = await virga.call('POST', '/virga/v1/invitations/accept', { token, password: PASSWORD });
  expect(accepted.status).toBe(200);
  const context = await portal.browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${virga.url}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account and appearance' }).waitFor();
  return page;
}
