import { readFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** Who belongs to an account, how they come in, and what they did. */
export function accountStories(portal: Portal): void {
  test('somebody is invited, accepts with the mailed link, and signs in', async () => {
    const { page, virga } = portal;
    await portal.signedInAgo(0);
    await page.goto(`${virga.url}/account/people?new=1`);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Invite person' }).last().click();
    const given = page.getByRole('dialog', { name: 'Send this link to the invited person' });
    await given.getByText(`${virga.url}/invitation/open#`).waitFor();
    await given.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /ada@example.com.*Invited|Invited.*ada@example.com/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    const link = await mailed(portal, 'invitation');
    const theirs = await portal.newPage(await portal.browser.newContext({ reducedMotion: 'reduce' }));
    await theirs.goto(`${virga.url}/invitation/open#${link}`);
    await theirs.getByRole('heading', { name: 'Join Virga' }).waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('textbox', { name: 'Password' }).fill('a-long-password');
    await theirs.getByRole('button', { name: 'Accept' }).click();
    await theirs.getByRole('link', { name: 'Go to signing in' }).click();
    await theirs.getByLabel('Email address').fill('ada@example.com');
    await theirs.getByRole('textbox', { name: 'Password' }).fill('a-long-password');
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs.getByRole('heading', { name: 'default in Local' }).waitFor();
    await theirs.context().close();
  });

  test('a forgotten password is replaced with the mailed link', async () => {
    const { virga } = portal;
    const theirs = await portal.newPage(await portal.browser.newContext({ reducedMotion: 'reduce' }));
    await theirs.goto(`${virga.url}/sign-in`);
    await theirs.getByRole('link', { name: 'Forgotten your password?' }).click();
    await theirs.getByRole('heading', { name: 'Forgotten your password?' }).waitFor();
    await theirs.getByLabel('Email address').fill('ada@example.com');
    await theirs.getByRole('button', { name: 'Send the link' }).click();
    await theirs.getByRole('heading', { name: 'Look at your mail' }).waitFor();
    const token = await mailed(portal, 'password_reset');
    await theirs.goto(`${virga.url}/password/new#${token}`);
    portal.expected.add('400 POST /virga/v1/password');
    await theirs.getByText('12 characters at least').waitFor();
    await theirs.getByRole('textbox', { name: 'New password' }).fill('password1234');
    await theirs.getByRole('button', { name: 'Set the password' }).click();
    await theirs.getByRole('alert').getByText('guessed first').waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('textbox', { name: 'New password' }).fill('another-password');
    await theirs.getByRole('button', { name: 'Set the password' }).click();
    await theirs.getByRole('heading', { name: 'Your password is set' }).waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
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

  test('what gives lasting rights asks for the password, over the form, which then goes on', async () => {
    const { page, virga } = portal;
    portal.expected.add('403 POST /iam/clients/1/tokens');
    portal.expected.add('400 POST /virga/v1/session/confirm');
    await portal.signedInAgo(11);
    await page.goto(`${virga.url}/account/tokens?new=1`);
    await page.getByLabel('Name').fill('lasting');
    const create = page.getByRole('button', { name: 'Create token' });
    await create.click();
    const requested = page.getByRole('dialog', { name: 'Your password, please' });
    const password = requested.getByRole('textbox', { name: 'Password' });
    await password.press('Escape');
    await requested.waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText('This needs your password or a passkey again').waitFor();
    expect(await page.getByLabel('Name').inputValue(), 'nothing is lost').toBe('lasting');
    await create.click();
    await password.fill('a guess');
    await requested.getByRole('button', { name: 'Continue' }).click();
    await requested.getByText('is not the password').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await password.fill(portal.credential('PASSWORD'));
    await requested.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('dialog', { name: 'The new token' }).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'lasting', exact: true }).waitFor();
  });

  test('a new password keeps the browser signed in, and ends tokens when that is wished', async () => {
    const { page, virga } = portal;
    const password = portal.credential('PASSWORD');
    const theirs = await portal.newPage(await portal.browser.newContext({ reducedMotion: 'reduce' }));
    await theirs.goto(`${virga.url}/sign-in`);
    await theirs.getByLabel('Email address').fill('ada@example.com');
    await theirs.getByRole('textbox', { name: 'Password' }).fill('another-password');
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs.getByRole('button', { name: 'Account and appearance' }).waitFor();
    await theirs.goto(`${virga.url}/account/sessions`);
    await theirs.getByRole('button', { name: 'Change password…' }).click();
    await theirs.getByLabel('Current password').fill('another-password');
    await theirs.getByLabel(/^New password/).fill(password);
    await theirs.getByLabel('Repeat new password').fill(password);
    await theirs.getByLabel('End the API tokens that I have made, too').check();
    await theirs.getByRole('button', { name: 'Change password', exact: true }).click();
    await theirs.getByRole('dialog').waitFor({ state: 'detached' });
    await theirs.getByRole('row', { name: /This one/ }).waitFor();
    await theirs.getByRole('button', { name: 'Sign out everywhere…' }).click();
    await theirs.getByRole('dialog').getByLabel('End the API tokens that I have made, too').check();
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('button', { name: 'Delete all sessions' }).click();
    await theirs.getByRole('heading', { name: 'Sign in to Virga' }).waitFor();
    await theirs.context().close();
    expect((await virga.call('GET', '/iam/clients/me')).status, 'nobody else’s end').toBe(200);
    await page.bringToFront();
  });

  test('a passkey is added, signs in by itself, and confirms what needs a recent sign-in', async () => {
    const { page, virga } = portal;
    const url = virga.url.replace('127.0.0.1', 'localhost');
    const theirs = await portal.newPage(await portal.browser.newContext({ reducedMotion: 'reduce' }));
    const devtools = await theirs.context().newCDPSession(theirs);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    const inside = () => theirs.getByRole('button', { name: 'Account and appearance' }).waitFor();
    await theirs.goto(`${url}/sign-in`);
    await theirs.getByLabel('Email address').fill('ada@example.com');
    await theirs.getByRole('textbox', { name: 'Password' }).fill(portal.credential('PASSWORD'));
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await inside();
    await theirs.goto(`${url}/account/second-factors`);
    await theirs.getByRole('button', { name: 'Add passkey…' }).click();
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('button', { name: 'Continue' }).click();
    await theirs.getByRole('button', { name: 'I have kept them' }).click();
    await theirs.getByRole('cell', { name: 'Passkey' }).waitFor();
    await theirs.context().clearCookies();
    await theirs.goto(`${url}/sign-in`);
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await inside();
    // The first answer is that of a session which is older than it is.
    await theirs.route(
      '**/virga/v1/second_factors/*',
      (route) => {
        portal.expected.add(`403 DELETE ${new URL(route.request().url()).pathname}`);
        return route.fulfill({
          status: 403,
          json: { exception_class: 'Forbidden', message: 'again', code: 'recent_sign_in_required' },
        });
      },
      { times: 1 },
    );
    await theirs.goto(`${url}/account/second-factors`);
    await theirs.getByRole('button', { name: 'Actions' }).click();
    await theirs.getByRole('menuitem', { name: 'Delete…' }).click();
    await theirs.getByRole('button', { name: 'Delete second factor' }).click();
    await theirs.getByRole('button', { name: 'Use a passkey' }).click();
    await theirs.getByText('No second factor').waitFor();
    await theirs.context().close();
    await page.bringToFront();
  });

  test('an authenticator app is added, asked for at the sign-in, and recovery codes stand for it', async () => {
    const { virga } = portal;
    const theirs = await portal.newPage(await portal.browser.newContext({ reducedMotion: 'reduce' }));
    portal.expected.add('400 POST /virga/v1/session');
    const enter = async () => {
      await theirs.goto(`${virga.url}/sign-in`);
      await theirs.getByLabel('Email address').fill('ada@example.com');
      await theirs.getByRole('textbox', { name: 'Password' }).fill(portal.credential('PASSWORD'));
      await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    const inside = () => theirs.getByRole('button', { name: 'Account and appearance' }).waitFor();
    await enter();
    await inside();
    await theirs.goto(`${virga.url}/account/second-factors`);
    await theirs.getByRole('button', { name: 'Add authenticator app…' }).click();
    await theirs.getByRole('button', { name: 'Continue' }).click();
    await theirs.getByAltText('What the app scans').waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
    const secret = (await theirs.getByRole('dialog').locator('code').textContent()) ?? '';
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await theirs.getByRole('textbox', { name: 'Code' }).fill(code);
    await theirs.getByRole('button', { name: 'Confirm' }).click();
    await theirs.getByRole('button', { name: 'I have kept them' }).waitFor();
    const codes = await theirs
      .getByRole('list', { name: 'Recovery codes' })
      .locator('code')
      .allTextContents();
    expect(codes).toHaveLength(10);
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('button', { name: 'I have kept them' }).click();
    await theirs.getByRole('cell', { name: 'Authenticator app' }).waitFor();
    await theirs.context().clearCookies();
    await enter();
    await theirs.getByRole('textbox', { name: 'Code' }).fill(code);
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs.getByRole('alert').getByText('was used already').waitFor();
    await theirs.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '');
    expect(await portal.barriers(theirs)).toEqual([]);
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await inside();
    await theirs.goto(`${virga.url}/account/second-factors`);
    await theirs.getByText('You have 9 recovery codes left').waitFor();
    await theirs.getByRole('button', { name: 'Actions' }).click();
    await theirs.getByRole('menuitem', { name: 'Delete…' }).click();
    await theirs.getByRole('button', { name: 'Delete second factor' }).click();
    await theirs.getByText('No second factor').waitFor();
    // Where everybody needs one, nothing else is shown before it is added.
    await theirs.route('**/virga/v1/session', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), must_add_second_factor: true } });
    });
    await theirs.goto(`${virga.url}/account/sessions`);
    await theirs.getByRole('heading', { name: 'Add a second factor' }).waitFor();
    await theirs.getByRole('button', { name: 'Continue' }).click();
    await theirs.getByAltText('What the app scans').waitFor();
    expect(await portal.barriers(theirs)).toEqual([]);
    const another = (await theirs.locator('main code').textContent()) ?? '';
    const next = new TOTP({ secret: Secret.fromBase32(another) }).generate();
    await theirs.getByRole('textbox', { name: 'Code' }).fill(next);
    await theirs.getByRole('button', { name: 'Confirm' }).click();
    await theirs.unrouteAll();
    await theirs.getByRole('button', { name: 'I have kept them' }).click();
    await theirs.getByRole('heading', { name: 'Sessions' }).waitFor();
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
    const today = new Date().toISOString().slice(0, 10);
    await page.goto(`${virga.url}/account/audit?person=1&from=2020-01-01&to=${today}`);
    await page.getByLabel('From').fill('2020-02-03');
    await page.waitForURL(/from=2020-02-03/);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const file = await (await saved).path();
    const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split('\r\n');
    expect(head).toMatch(/^id,timestamp,action_type,/);
    const { body } = await virga.call('GET', '/cloud/v1/user_actions?user_id=1&limit=1');
    // All of them, not only the page that is shown.
    expect(lines.length).toBe(body.count);
    expect(body.count).toBeGreaterThan(50);
    await page.goto(`${virga.url}/account/audit?to=2020-01-01`);
    await page.getByText('Nothing matches').waitFor();
  });
}

/** The token of the newest mail of a kind. */
async function mailed(portal: Portal, kind: string): Promise<string> {
  const authorization = `APIKey ${portal.credential('OPERATOR_TOKEN')}`;
  const answer = await fetch(`${portal.virga.url}/virga/v1/outbox`, { headers: { authorization } });
  const { results } = (await answer.json()) as { results: { kind: string; body: string }[] };
  return /^ {2}(\S+)$/m.exec(results.find((mail) => mail.kind === kind)?.body ?? '')?.[1] ?? '';
}
