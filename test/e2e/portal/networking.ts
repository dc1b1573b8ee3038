import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** Who reaches what: a network, a router, rules. */
export function networkingStories(portal: Portal): void {
  test('a network with a subnet is put on a router', async () => {
    const { page } = portal;
    await portal.go(2, 'networks?new=1');
    await page.getByLabel('Name').last().fill('kitchen-net');
    await page.getByRole('switch', { name: 'Create a router for it' }).click();
    await page.getByRole('button', { name: 'Create network' }).click();
    await page.getByRole('link', { name: 'Done. Open it' }).click();
    await page.getByRole('link', { name: 'Create subnet' }).first().click();
    await page.getByLabel('Name').last().fill('ovens');
    await page.getByLabel('CIDR').fill('10.66.0.0/24');
    await page.getByRole('dialog').getByRole('button', { name: 'Create subnet' }).click();
    // The form says it too, in its preview of the call; leaving before the form has closed takes the call back.
    await page.getByRole('main').getByText('10.66.0.0/24').first().waitFor();
    await portal.go(2, 'routers?new=1');
    await page.getByLabel('Name').last().fill('door');
    await portal.choose('Subnets', /ovens/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create router' }).last().click();
    await page.getByRole('link', { name: 'Done. Open it' }).last().click();
    await page.getByRole('link', { name: 'ovens' }).waitFor();
    await page.getByRole('cell', { name: 'kitchen-net', exact: true }).waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('a rule is added to a security group and deleted', async () => {
    const { page } = portal;
    await portal.go(2, 'security-groups?new=1');
    await page.getByLabel('Name').last().fill('shopfront');
    await page.getByRole('button', { name: 'Create security group' }).last().click();
    await page.getByRole('link', { name: 'Done. Open it' }).last().click();
    await page.getByRole('cell', { name: 'TCP 80' }).waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await portal.choose('Traffic', /PostgreSQL/);
    await portal.choose('Remote', 'A CIDR');
    await page.getByLabel('CIDR').fill('10.66.0.0/24');
    await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click();
    const rule = page.getByRole('row', { name: /TCP 5432.*10\.66\.0\.0/ });
    await rule.waitFor();
    expect(await portal.barriers()).toEqual([]);
    await rule.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await rule.waitFor({ state: 'detached' });
    // What it cannot say of the group it does not leave open.
    const instances = `/cloud/v1/securitygroups/1/2/${page.url().split('/').at(-1)}/instances`;
    portal.expected.add(`500 GET ${instances}`);
    await page.route(`**${instances}`, (route) =>
      route.fulfill({ status: 500, json: { message: 'broken' } }),
    );
    await page.reload();
    await page.getByText('could not be read').waitFor();
    await page.unrouteAll();
  });

  test('an address is reserved, and its port is shown', async () => {
    const { page } = portal;
    await portal.go(2, 'reserved-ips?new=1');
    await page.getByRole('button', { name: 'Reserve fixed IP' }).last().click();
    const address = page.getByRole('row', { name: /external/ }).locator('code');
    await address.waitFor();
    const text = (await address.textContent()) ?? '';
    await portal.go(2, `ports?address=${text}`);
    await page.getByRole('cell', { name: text }).waitFor();
    expect(await portal.barriers()).toEqual([]);
  });
}
