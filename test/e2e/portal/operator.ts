import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** What those who run the cloud do in the portal: look after nodes, let things fail, answer requests. */

export function operatorStories(portal: Portal): void {
  test('a token that is not the operator’s opens nothing, and the page says so', async () => {
    const { page } = portal;
    await page.goto(`${portal.virga.url}/operator/nodes`);
    await page.getByRole('textbox', { name: 'Token' }).fill('virga_of_somebody_else');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText('This is not an operator’s token').waitFor();
    expect(await page.getByRole('textbox', { name: 'Token' }).inputValue()).toBe('virga_of_somebody_else');
    expect(await portal.barriers()).toEqual([]);
  });

  test('the operator sees which nodes live, and who works on which region', async () => {
    const { page } = portal;
    await portal.operate('nodes');
    const { body } = await portal.asOperator('GET', '/virga/v1/nodes');
    const [node] = body.results;
    const row = page.getByRole('table', { name: 'Nodes' }).getByRole('row', { name: node.name });
    await row.getByText('Alive').waitFor();
    await row.getByText('Answers and works').waitFor();
    await row.getByText(node.version).waitFor();
    await row.getByText('Local').waitFor();
    await page.getByRole('table', { name: 'Owners of regions' }).getByText('Served').waitFor();
    expect(await portal.barriers()).toEqual([]);
    await portal.operate('regions');
    const capacity = page.getByRole('table', { name: 'Capacity of regions' });
    await capacity.getByRole('row', { name: /Local.*Memory.*(Enough room|Running low)/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    await portal.picture('capacity');
  });

  test('the page of a client has what is in it, and takes people and tokens away', async () => {
    const { page } = portal;
    const made = await portal.asOperator('POST', '/virga/v1/clients', {
      name: 'Dairy',
      email: 'ops@dairy.example',
    });
    const one = `/virga/v1/clients/${made.body.id}`;
    // An account keeps one administrator.
    for (const [name, id] of [
      ['cream', 2],
      ['milk', 1],
    ] as const)
      await portal.asOperator('POST', `${one}/users`, {
        email: `${name}@dairy.example`,
        password: 'the cows come home at dusk',
        user_role: { id },
      });
    await portal.asOperator('POST', `${one}/act`, { reason: 'Ticket 4711' });
    await portal.operate('clients');
    await page.getByRole('row', { name: /admin@virga.internal/ }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('dair');
    await page.getByRole('row', { name: /admin@virga.internal/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Dairy' }).click();
    await page.getByRole('heading', { name: 'Resources' }).waitFor();
    expect(await page.locator('main').innerText()).toMatch(new RegExp(`^Id\\s+${made.body.id}$`, 'm'));
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Suspend…' }).click();
    await page.getByRole('dialog').getByText('APIKey $OPERATOR_TOKEN').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('tab', { name: 'API tokens' }).click();
    await portal.act(/Operator/, 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete token' }).click();
    await page.getByText('Its people make them').waitFor();
    await page.getByRole('tab', { name: 'People' }).click();
    await portal.act(/milk@dairy.example/, 'Delete…');
    await page.getByRole('dialog').getByRole('textbox').fill('milk@dairy.example');
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete person' }).click();
    await page.getByRole('row', { name: /milk@dairy.example/ }).waitFor({ state: 'detached' });
    expect((await portal.asOperator('GET', `${one}/users`)).body.count).toBe(1);
  });

  test('the page of a resource says to operators where it lives in the cloud of its region', async () => {
    const { page, virga } = portal;
    const created = await virga.ended(await virga.call('POST', '/cloud/v1/networks/1/2', { name: 'lives' }));
    const [id] = created.created_resources?.networks ?? [];
    const engineId = '7f0e2c1d-0000-4000-8000-0123456789ab';
    await portal.query(
      'insert into engine_objects (region_id, kind, id, engine_id, facts) values (2, $1, $2, $3, $4)',
      ['network', id, engineId, '{}'],
    );
    await portal.go(2, 'networks');
    await page.getByRole('link', { name: 'lives', exact: true }).click();
    await page.getByRole('heading', { name: 'lives' }).waitFor();
    expect(await page.getByText(engineId).count()).toBe(0);
    await portal.operate('nodes');
    await page.getByRole('link', { name: 'Networks', exact: true }).click();
    await page.getByRole('link', { name: 'lives', exact: true }).click();
    await page.getByRole('heading', { name: 'Where it lives' }).waitFor();
    await page.getByText(engineId).waitFor();
    expect(await portal.barriers()).toEqual([]);
    // Images and addresses have no page of their own: the menu of their rows says it.
    const source = await virga.ended(
      await virga.call('POST', '/cloud/v1/volumes/1/2', { name: 'disk', size: 1, source: 'new-volume' }),
    );
    const [volume_id] = source.created_resources?.volumes ?? [];
    const copied = await virga.ended(
      await virga.call('POST', '/cloud/v1/images/1/2', { name: 'picture', volume_id, source: 'volume' }),
    );
    const [image] = copied.created_resources?.images ?? [];
    const pictureId = '7f0e2c1d-0000-4000-8000-ba9876543210';
    await portal.query(
      'insert into engine_objects (region_id, kind, id, engine_id, facts) values (2, $1, $2, $3, $4)',
      ['image', image, pictureId, '{}'],
    );
    const rented = await virga.ended(await virga.call('POST', '/cloud/v1/floatingips/1/2', {}));
    const [address] = rented.created_resources?.floatingips ?? [];
    const rentedId = '7f0e2c1d-0000-4000-8000-ba9876543211';
    await portal.query(
      'insert into engine_objects (region_id, kind, id, engine_id, facts) values (2, $1, $2, $3, $4)',
      ['floating_ip', address, rentedId, '{}'],
    );
    const { results } = (await virga.call('GET', '/cloud/v1/floatingips/1/2')).body;
    const rentedRow = results.find((row: { id: string }) => row.id === address).floating_ip_address;
    for (const [list, row, there] of [
      ['Images', /picture/, pictureId],
      ['Floating IPs', new RegExp(rentedRow.replaceAll('.', '\\.')), rentedId],
    ] as const) {
      await page.getByRole('link', { name: list, exact: true }).click();
      await portal.act(row, 'Where it lives');
      await page.getByRole('dialog').getByText(there).waitFor();
      expect(await portal.barriers()).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await portal.operate('nodes');
  });

  test('a fault is set, strikes, is counted and cleared', async () => {
    const { page, virga } = portal;
    await page.getByRole('link', { name: 'Simulation' }).click();
    await page.getByRole('link', { name: 'Set fault' }).first().click();
    await page.getByLabel('Only what has this name').fill('doomed');
    await page.getByLabel('Error message').fill('The rack is on fire');
    expect(await portal.barriers()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Set fault' }).click();
    await page.getByRole('row', { name: /Create loadbalancer.*the next 1, of doomed/ }).waitFor();
    const create = () => virga.call('POST', '/cloud/v1/loadbalancers/1/2', { name: 'doomed' });
    expect((await virga.ended(await create())).error).toBe('The rack is on fire');
    expect((await virga.ended(await create())).error).toBeNull();
    await page.getByText('1 of 2').waitFor({ timeout: 60_000 });
    expect(await portal.barriers()).toEqual([]);
    await portal.act(/Create loadbalancer/, 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete fault' }).click();
    await page.getByText('Nothing goes wrong here').waitFor();
  });

  test('where work is real, the page says that nothing can be set', async () => {
    const { page } = portal;
    portal.expected.add('403 GET /virga/v1/simulation/1/faults');
    await portal.choose('Region', 'Local');
    await page.getByText('Region Local is not simulated').waitFor();
    expect(await page.getByRole('button', { name: 'Set fault' }).isDisabled()).toBe(true);
    expect(await portal.barriers()).toEqual([]);
  });

  test('more is asked for in a form; the operator grants one request and rejects another', async () => {
    const { page, virga } = portal;
    await portal.go(2, 'quotas?show=all');
    for (const [limit, why] of [
      ['77', 'A sale on Friday'],
      ['88', 'Who knows'],
    ] as const) {
      await page.getByRole('link', { name: 'Request more' }).click();
      await portal.choose('Quota', 'load balancers');
      await page.getByLabel('New limit').fill(limit);
      await page.getByLabel('Reason').fill(why);
      expect(await portal.barriers()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Request more' }).click();
      await page.getByRole('row', { name: new RegExp(`${limit} in region 2.*Waiting`) }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await portal.operate('quota-requests');
    await portal.act(/A sale on Friday/, 'Approve');
    await page.getByRole('row', { name: /Granted.*A sale on Friday/ }).waitFor();
    await portal.act(/Who knows/, 'Reject');
    await page.getByRole('row', { name: /Rejected.*Who knows/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    const { body } = await virga.call('GET', '/cloud/v2/client_quotas');
    const here = body.regional_quotas.find(({ region_id }: { region_id: number }) => region_id === 2);
    expect(here.loadbalancer_count_limit).toBe(77);
    await portal.go(2, 'quotas');
    await page.getByRole('row', { name: /77 in region 2.*Granted/ }).waitFor();
  });
}
