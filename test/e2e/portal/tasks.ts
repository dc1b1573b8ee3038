import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** What a task says of itself: what it is about, what waits for it, and what came of it. */

const BALANCERS = '/cloud/v1/loadbalancers/1/2';
const FAULTS = '/virga/v1/simulation/2/faults';

export function taskStories(portal: Portal): void {
  const front = (name: string) => ({
    name,
    listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 80, pools: [] }],
  });

  test('a running task shows what waits for it, and leads to what it has created', async () => {
    const { page, virga } = portal;
    await portal.asOperator('POST', FAULTS, { kind: 'create_loadbalancer', name: 'slow', delay_seconds: 15 });
    const { body } = await virga.call('POST', BALANCERS, front('slow'));
    await portal.go(2, 'tasks');
    await page
      .getByRole('row', { name: /Create load balancer slow/ })
      .getByRole('link')
      .first()
      .click();
    const waiting = page.getByRole('table', { name: 'What waits for it' });
    await waiting.getByRole('row', { name: 'http of slow listener' }).waitFor();
    await waiting.getByRole('row', { name: 'slow load balancer', exact: true }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    const refused = await virga.call('DELETE', `${BALANCERS}/${await idOf('slow')}`);
    expect(refused.body.message).toContain(body.tasks[0]);
    await page.getByText('The task has ended. Nothing waits for it.').waitFor();
    await page
      .getByRole('table', { name: 'What it created' })
      .getByRole('link', { name: 'Listener' })
      .click();
    await page.getByRole('heading', { name: /slow/ }).waitFor();
    await portal.asOperator('DELETE', FAULTS);
  });

  async function idOf(name: string): Promise<string> {
    const { body } = await portal.virga.call('GET', `${BALANCERS}?name=${name}`);
    return body.results[0].id;
  }

  test('a change of a part names it in the overview, and leads to its load balancer', async () => {
    const { page, virga } = portal;
    const { body } = await virga.call(
      'GET',
      `/cloud/v1/lblisteners/1/2?load_balancer_id=${await idOf('slow')}`,
    );
    const change = { timeout_client_data: 7000 };
    await virga.ended(await virga.call('PATCH', `/cloud/v2/lblisteners/1/2/${body.results[0].id}`, change));
    await portal.go(2, '');
    await page.getByRole('link', { name: 'http of slow' }).first().click();
    await page.getByRole('heading', { name: /slow/ }).waitFor();
  });

  test('a failed task needs attention until somebody acknowledges it', async () => {
    const { page, virga } = portal;
    const words = 'The machines are out of paper';
    await portal.asOperator('POST', FAULTS, { kind: 'create_loadbalancer', name: 'doomed', message: words });
    await virga.ended(await virga.call('POST', BALANCERS, front('doomed')));
    await portal.go(2, '');
    const attention = page.locator('[data-card]', { hasText: 'Needs attention' });
    await attention.getByText(words).waitFor();
    const failed = attention.getByRole('listitem').filter({ hasText: words });
    await failed.getByRole('link', { name: 'Create load balancer' }).click();
    await page.getByText(words).first().waitFor();
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Acknowledge' }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByText('It is acknowledged already').waitFor();
    await page.keyboard.press('Escape');
    await portal.go(2, '');
    await attention.getByText('Needs attention').waitFor();
    await page.getByRole('heading', { name: 'Recent tasks' }).waitFor();
    expect(await attention.getByText(words).count()).toBe(0);
    await portal.go(2, 'tasks');
    const all = page.getByRole('button', { name: 'Acknowledge all' });
    await all.click();
    await page.getByText('Acknowledged').first().waitFor();
    // Tasks of other stories may end meanwhile.
    const pressed = async () => {
      await all.dispatchEvent('click');
      return all.getAttribute('aria-disabled');
    };
    await expect.poll(pressed).toBe('true');
    await all.dispatchEvent('click');
    await page.getByText('No task that has ended waits to be acknowledged').waitFor();
    await portal.go(2, '');
    await attention.getByText('Failed').first().waitFor({ state: 'detached' });
    await portal.asOperator('DELETE', FAULTS);
  });
}
