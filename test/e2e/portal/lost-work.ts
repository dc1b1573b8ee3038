import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** What somebody has typed is not lost: not by a session that ends, and not by leaving the page. */
export function lostWorkStories(portal: Portal): void {
  test('a session that ends in the middle of a form asks for the password over it, and goes on', async () => {
    const { virga } = portal;
    portal.expected.add('400 POST /virga/v1/session');
    portal.expected.add('403 POST /cloud/v1/networks/1/2');
    const context = await portal.browser.newContext({ reducedMotion: 'reduce' });
    const page = await portal.newPage(context);
    const password = portal.credential('PASSWORD');
    await page.goto(`${virga.url}/sign-in`);
    await page.getByLabel('Email address').fill(portal.credential('EMAIL'));
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Account and appearance' }).waitFor();
    await portal.go(2, 'networks?new=1', page);
    const form = page.getByRole('dialog', { name: 'Create network' });
    await form.getByRole('textbox', { name: 'Name' }).fill('kept-network');
    await context.clearCookies();
    await form.getByRole('button', { name: 'Create network' }).click();
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByRole('textbox', { name: 'Password' }).fill('a guess');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByRole('alert').waitFor();
    expect(await portal.barriers(page)).toEqual([]);
    await again.getByRole('textbox', { name: 'Password' }).fill(password);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'kept-network', exact: true }).waitFor();
    // Another tab of the browser learns of the new session by itself, and asks for nothing.
    const other = await portal.newPage(context);
    await portal.go(2, 'networks?new=1', other);
    await other.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('from-the-other-tab');
    await context.clearCookies();
    await page.reload();
    await page.getByLabel('Email address').fill(portal.credential('EMAIL'));
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('cell', { name: 'kept-network', exact: true }).waitFor();
    await other.getByRole('dialog').getByRole('button', { name: 'Create network' }).click();
    await other.getByRole('cell', { name: 'from-the-other-tab', exact: true }).waitFor();
    // One that asks already goes on when somebody has signed in on the first.
    await portal.go(2, 'networks?new=1', other);
    await other.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('asked-in-both');
    await context.clearCookies();
    await other.getByRole('dialog').getByRole('button', { name: 'Create network' }).click();
    await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await page.reload();
    await page.getByLabel('Email address').fill(portal.credential('EMAIL'));
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('cell', { name: 'asked-in-both', exact: true }).waitFor();
    await context.close();
  });

  test('what was typed into a form is there again after leaving it, until it is sent or cancelled', async () => {
    const { page } = portal;
    await portal.go(2, 'security-groups?new=1');
    const form = page.getByRole('dialog', { name: 'Create security group' });
    const name = form.getByRole('textbox', { name: 'Name' });
    await name.fill('half-way');
    await name.press('Escape');
    await form.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Routers' }).click();
    await page.getByRole('heading', { name: 'Routers' }).waitFor();
    await page.getByRole('link', { name: 'Security groups' }).click();
    await page.getByRole('link', { name: 'Create security group' }).first().click();
    await form.getByText('What you typed before is still here').waitFor();
    expect(await name.inputValue()).toBe('half-way');
    expect(await portal.barriers()).toEqual([]);
    await form.getByRole('button', { name: 'Start over' }).click();
    expect(await name.inputValue()).toBe('');
    await name.fill('cancelled');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Create security group' }).first().click();
    expect(await name.inputValue()).toBe('');
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  test('an SSH key is added where one is asked for, and what was typed there stays', async () => {
    const { page } = portal;
    await portal.go(2, 'instances/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('with-a-key');
    await page.getByRole('button', { name: 'Add SSH key…' }).click();
    const form = page.getByRole('dialog', { name: 'Add SSH key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('in-place');
    await form
      .getByRole('textbox', { name: 'Public key' })
      .fill('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl in-place');
    await form.getByRole('button', { name: 'Add SSH key' }).click();
    await form.waitFor({ state: 'detached' });
    await page.waitForFunction(
      `[...document.querySelectorAll('input')].some(({ value }) => value === 'in-place')`,
    );
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('with-a-key');
    // From within a form it lies on that, and Escape closes it alone.
    await portal.go(2, 'kubernetes?new=1');
    const cluster = page.getByRole('dialog', { name: 'Create cluster' });
    await cluster.getByRole('textbox', { name: 'Name', exact: true }).fill('lively');
    await cluster.getByRole('button', { name: 'Add SSH key…' }).click();
    await form.getByRole('textbox', { name: 'Name' }).press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(await cluster.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('lively');
    await cluster.getByRole('button', { name: 'Cancel' }).click();
  });
}
