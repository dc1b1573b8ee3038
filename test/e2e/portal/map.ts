import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** The project as one picture: it is the way to begin, and everything on it leads to its page. */
export function mapStories(portal: Portal): void {
  const map = () => portal.page.locator('[data-card]', { hasText: 'Map' }).first();

  test('an empty project offers what can be made, and says which region is simulated', async () => {
    const { page, virga } = portal;
    const { body } = await virga.call('POST', '/cloud/v1/projects', { name: 'blank' });
    await page.goto(`${virga.url}/projects/${body.id}/regions/2`);
    await map().getByText('Nothing is here yet').waitFor();
    await map().getByText('Simulated: simulated, nothing in it is real').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await map()
      .getByRole('link', { name: /Load balancer/ })
      .click();
    await page.getByRole('heading', { name: 'Create load balancer' }).waitFor();
  });

  test('what there is in all regions is drawn, found and opened', async () => {
    const { page, virga } = portal;
    const front = {
      name: 'counter',
      listeners: [
        {
          name: 'http',
          protocol: 'HTTP',
          protocol_port: 80,
          pools: [
            {
              name: 'clerks',
              protocol: 'HTTP',
              lb_algorithm: 'ROUND_ROBIN',
              members: [{ address: '10.0.0.1', protocol_port: 80 }],
            },
          ],
        },
      ],
    };
    await virga.ended(await virga.call('POST', '/cloud/v1/loadbalancers/1/2', front));
    await portal.go(1, '');
    const box = (name: string) => map().locator('[data-node]').filter({ hasText: name });
    await box('counter').waitFor();
    await box('clerks').getByText('1 of 1 members online · Simulated').waitFor();
    await map().locator('[data-node$=" members"]').getByText('1 of 1 online').waitFor();
    await map().getByRole('searchbox', { name: 'Find on the map' }).fill('clerks');
    await expect.poll(() => box('counter').getAttribute('data-dim')).toBe('true');
    expect(await box('clerks').getAttribute('data-dim')).toBe('false');
    expect(await portal.barriers()).toEqual([]);
    await box('clerks').click();
    await page.getByRole('heading', { name: /counter/ }).waitFor();
    expect(page.url()).toContain('/regions/2/load-balancers/');
  });
}
