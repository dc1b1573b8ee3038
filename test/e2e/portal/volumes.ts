import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** Each form and verb of volumes and snapshots is pressed, and so is the console of an instance. */

export function volumeStories(portal: Portal): void {
  const dialog = () => portal.page.getByRole('dialog');
  const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const verb = async (name: string) => {
    await portal.page.getByRole('button', { name: 'Actions' }).first().click();
    await portal.page.getByRole('menuitem', { name }).click();
  };
  const closed = () => dialog().waitFor({ state: 'detached' });

  async function makeVolume(name: string): Promise<void> {
    const { page } = portal;
    await portal.go(2, 'volumes?new=1');
    await page.getByLabel('Name').last().fill(name);
    await page.getByLabel('Size in GiB').fill('3');
    await press('Create volume');
    await page.getByRole('link', { name: 'Done. Open it' }).click();
    await page.getByRole('heading', { name: new RegExp(name) }).waitFor();
  }

  test('a volume is renamed, tagged and extended', async () => {
    const { page } = portal;
    await makeVolume('flour');
    await verb('Rename, tag…');
    await page.getByLabel('Name').last().fill('rye');
    await page.getByRole('combobox', { name: 'Tags' }).fill('grain=rye');
    await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
    await press('Save');
    // Not with the next look at everything, which is half a minute away.
    await page.getByRole('heading', { name: /rye/ }).waitFor({ timeout: 15_000 });
    await page.getByText('grain').waitFor();
    await verb('Extend…');
    await page.getByLabel('Size in GiB').fill('7');
    await press('Extend');
    await page.getByText('7 GiB').waitFor();
    await closed();
  });

  test('a volume without a snapshot says why it cannot be reverted', async () => {
    const { page } = portal;
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByText('It has no snapshot').waitFor();
    await page.keyboard.press('Escape');
  });

  test('a snapshot is taken in the list of snapshots, and the volume reverted to it', async () => {
    const { page, virga } = portal;
    await portal.go(2, 'snapshots?new=1');
    await page.getByLabel('Name').last().fill('before');
    await page.getByLabel('Description').fill('In case of mould');
    expect(await portal.barriers()).toEqual([]);
    await press('Take snapshot');
    await page.getByRole('row', { name: /before.*Available/ }).waitFor();
    await portal.go(2, 'volumes');
    await page.getByRole('link', { name: 'rye' }).click();
    await page.getByRole('cell', { name: 'before', exact: true }).waitFor();
    await verb('Revert to last snapshot…');
    expect(await dialog().getByRole('button', { name: 'Revert volume' }).isDisabled()).toBe(true);
    await page.getByLabel('Type rye to revert it').fill('rye');
    expect(await portal.barriers()).toEqual([]);
    await press('Revert volume');
    await page.getByText('The volume holds what its last snapshot holds').waitFor();
    const { body } = await virga.call('GET', '/cloud/v1/tasks?task_type=revert_volume');
    expect(body.results.map(({ state }: { state: string }) => state)).toEqual(['FINISHED']);
  });

  test('a volume gets a lifecycle policy, which is paused and deleted', async () => {
    const { page, virga } = portal;
    await portal.go(2, 'lifecycle-policies?new=1');
    await page.getByLabel('Name').last().fill('nightly');
    await portal.choose('Volumes', /rye/);
    await page.keyboard.press('Escape');
    await portal.choose('When', 'Every week');
    await portal.choose('Day', 'Monday');
    await dialog().getByLabel('Time').fill('04:30');
    expect(await portal.barriers()).toEqual([]);
    await press('Create lifecycle policy');
    await page
      .getByRole('row', { name: /nightly.*Active.*on Monday at 04:30.*last 7 are kept.*rye/ })
      .waitFor();
    await closed();
    await portal.act(/nightly/, /^Pause/);
    await page.getByRole('row', { name: /nightly.*Paused/ }).waitFor();
    await portal.act(/nightly/, 'Remove volumes…');
    await portal.choose('Volumes', /rye/);
    await page.keyboard.press('Escape');
    await press('Remove volumes');
    await page.getByRole('row', { name: /nightly.*none/ }).waitFor();
    await portal.act(/nightly/, 'Delete…');
    await press('Delete lifecycle policy');
    await page.getByText('No lifecycle policies here').waitFor();
    const { body } = await virga.call('GET', '/cloud/v1/lifecycle_policy/1/2');
    expect(body).toEqual({ count: 0, results: [] });
  });

  test('a volume is made from a snapshot, and both are deleted', async () => {
    const { page } = portal;
    await portal.go(2, 'snapshots');
    await portal.act(/before/, 'Create volume from it…');
    await press('Create volume');
    await page.getByRole('link', { name: 'Done. Open it' }).click();
    await page.getByRole('heading', { name: /before-volume/ }).waitFor();
    await verb('Delete…');
    await page.getByLabel('Type before-volume to delete it').fill('before-volume');
    await press('Delete volume');
    await page.getByRole('heading', { name: 'Volumes' }).waitFor();
    await page.getByRole('link', { name: 'before-volume' }).waitFor({ state: 'detached' });
    await portal.go(2, 'snapshots');
    await portal.act(/before/, 'Delete…');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused, { message: 'what harms nothing has the focus' }).toBe('Keep it');
    await press('Delete snapshot');
    await page.getByText('No snapshots here').waitFor();
  });

  test('where nothing boots, an instance says that it has no console', async () => {
    const { virga } = portal;
    const { body: images } = await virga.call('GET', '/cloud/v1/images/1/2');
    const { body: flavors } = await virga.call('GET', '/cloud/v1/flavors/1/2');
    const task = await virga.ended(
      await virga.call('POST', '/cloud/v2/instances/1/2', {
        name: 'oven',
        flavor: flavors.results[0].flavor_id,
        interfaces: [{ type: 'external' }],
        volumes: [{ source: 'image', image_id: images.results[0].id, size: 20, boot_index: 0 }],
      }),
    );
    expect(task.error).toBeNull();
    const id = task.created_resources?.instances?.[0] ?? '';
    portal.expected.add(`409 GET /cloud/v1/instances/1/2/${id}/get_console`);
    await portal.go(2, `instances/${id}`);
    await verb('Open console…');
    await dialog().getByText('has no console: nothing boots in region Simulated').waitFor();
    expect(await portal.barriers()).toEqual([]);
  });

  test('many long tags stay within a narrow window, also where they are said', async () => {
    const { page, virga } = portal;
    const tags = Object.fromEntries(Array.from({ length: 8 }, (_, key) => [`tag-${key}`, 'x'.repeat(63)]));
    const body = { source: 'new-volume', name: 'tagged', size: 1, tags };
    const task = await virga.ended(await virga.call('POST', '/cloud/v1/volumes/1/2', body));
    await page.setViewportSize({ width: 390, height: 844 });
    await portal.go(2, `volumes/${task.created_resources?.volumes?.[0]}`);
    const tag = page.getByRole('button', { name: 'tag-0:' });
    await tag.waitFor();
    expect((await tag.boundingBox())?.height, 'a tag is one line').toBeLessThan(30);
    await page.getByRole('button', { name: 'Show 6 more tags' }).hover();
    await page.getByRole('tooltip').waitFor();
    await tag.hover();
    await page.getByRole('tooltip', { name: `tag-0: ${'x'.repeat(63)}` }).waitFor();
    await tag.click();
    expect(await page.getByRole('main').getByText('tag-7:').innerText()).toBe(`tag-7: ${'x'.repeat(63)}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await verb('Rename, tag…');
    await dialog()
      .getByText(`tag-7=${'x'.repeat(63)}`)
      .waitFor();
    const cut =
      "[...document.querySelectorAll('.mantine-Pill-label')].filter((one) => one.scrollWidth > one.clientWidth)";
    expect(await page.evaluate(`${cut}.length`), 'a tag in a field is read whole').toBe(0);
    const tagged = `/cloud/v1/volumes/1/2/${task.created_resources?.volumes?.[0]}`;
    for (const [answer, words] of [
      [
        { status: 429, headers: { 'retry-after': '20' }, json: { message: 'Too many' } },
        /Send it again in 20 s/,
      ],
      [undefined, /may have arrived/],
    ] as const) {
      portal.expected.add(`429 PATCH ${tagged}`);
      await page.route(`**${tagged}`, (route) => {
        if (route.request().method() === 'GET') return route.continue();
        return answer ? route.fulfill(answer) : route.abort('connectionrefused');
      });
      await press('Save');
      await dialog().getByText(words).waitFor();
      await page.unroute(`**${tagged}`);
    }
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
  });
}
