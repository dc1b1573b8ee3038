import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** Who belongs to an account, how they come in, and what they did. */
export function accountStories(portal: Portal): void {
  test('somebody is invited, accepts with the mailed link, and signs in', async () => {
    const { page, virga } = portal;
    await page.goto(`${virga.url}/account/people?new=1`);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Invite person' }).last().click();
    await page.getByRole('row', { name: /ada@example.com.*Invited|Invited.*ada@example.com/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    const link = await mailed(portal, 'invitation');
    const theirs = await portal.newPage(await portal.browser.newContext());
    await theirs.goto(`${virga.url}/invitation/open#${link}`);
    await theirs.getByRole('heading', { name: 'Join Virga' }).waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('textbox', { name: 'Password' }).fill('a-long-password');
    await theirs.getByRole('button', { name: 'Accept' }).click();
    await theirs.getByRole('link', { name: 'Go to signing in' }).click();
    await theirs.getByLabel('Email address').fill('ada@example.com');
    await theirs.getByRole('textbox', { name: 'Password' }).fill('a-long-password');
    await theirs.getByRole('button', { name: 'Sign in' }).click();
    await theirs.getByRole('heading', { name: / in / }).waitFor();
    await theirs.context().close();
  });

  test('a forgotten password is replaced with the mailed link', async () => {
    const { virga } = portal;
    const theirs = await portal.newPage(await portal.browser.newContext());
    await theirs.goto(`${virga.url}/sign-in`);
    await theirs.getByRole('link', { name: 'Forgotten your password?' }).click();
    await theirs.getByRole('heading', { name: 'Forgotten your password?' }).waitFor();
    await theirs.getByLabel('Email address').fill('ada@example.com');
    await theirs.getByRole('button', { name: 'Send the link' }).click();
    await theirs.getByRole('heading', { name: 'Look at your mail' }).waitFor();
    const token = await mailed(portal, 'password_reset');
    await theirs.goto(`${virga.url}/password/new#${token}`);
    await theirs.getByRole('textbox', { name: 'New password' }).fill('another-password');
    await theirs.getByRole('button', { name: 'Set the password' }).click();
    await theirs.getByRole('heading', { name: 'Your password is set' }).waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
    portal.expected.add('400 POST /virga/v1/password');
    for (const [link, fault] of [
      [`#${token}`, /^This link has expired\. Request a new one\.$/],
      ['', /^token: is unknown or has expired; request a new one\s+Request \S+\s*$/],
    ] as const) {
      await theirs.goto(`${virga.url}/sign-in`);
      await theirs.goto(`${virga.url}/password/new${link}`);
      if (!link) await theirs.getByLabel('Token of the mail').fill(token);
      await theirs.getByRole('textbox', { name: 'New password' }).fill('another-password');
      await theirs.getByRole('button', { name: 'Set the password' }).click();
      expect(await theirs.getByRole('alert').innerText(), 'it is said once').toMatch(fault);
    }
    await theirs.context().close();
  });

  test('what was done stands in the audit log, and each filter is in the address', async () => {
    const { page, virga } = portal;
    await page.goto(`${virga.url}/account/audit?action=stop&noun=instance`);
    await page
      .getByRole('row', { name: /Stop instance/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Show all of it' }).click();
    await page.getByRole('dialog').getByText('bakery').first().waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
}

/** The token of the newest mail of a kind. */
async function mailed(portal: Portal, kind: string): Promise<string> {
  const authorization = `APIKey ${portal.credential('OPERATOR_TOKEN')}`;
  const answer = await fetch(`${portal.virga.url}/virga/v1/outbox`, { headers: { authorization } });
  const { results } = (await answer.json()) as { results: { kind: string; body: string }[] };
  return /^ {2}(\S+)$/m.exec(results.find((mail) => mail.kind === kind)?.body ?? '')?.[1] ?? '';
}
