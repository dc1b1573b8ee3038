import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lookFor } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { Portal } from './portal/harness.ts';

/** A storage is made in the portal, an S3 client uses what the portal shows, and the portal shows what was used. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const fault = (await lookFor(['s3'])).faultOf('s3');
const portal = new Portal();
const dialog = () => portal.page.getByRole('dialog');
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
const tab = (name: string) => portal.page.getByRole('tab', { name }).click();

describe.skipIf(fault !== undefined)(`storages${fault ? `: skipped, ${fault}` : ''}`, () => {
  let address: string;

  beforeAll(async () => {
    await portal.start();
    await portal.signIn();
  });
  afterAll(() => portal.stop());

  const client = (accessKeyId: string, secretAccessKey: string) =>
    new S3Client({
      endpoint: address,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
  /** What the open dialog shows once. */
  async function shown(): Promise<readonly string[]> {
    await dialog().getByText('This is the only time').waitFor();
    const values = await dialog().locator('code').allTextContents();
    expect(await portal.barriers()).toEqual([]);
    await press('I have copied it');
    for (const value of values.slice(-1)) expect(await portal.page.content()).not.toContain(value);
    return values;
  }

  test('a storage comes with a key that is shown once, and a bucket is made in it', async () => {
    const { page } = portal;
    await portal.go(1, 'storages');
    await page.getByText('No storages').waitFor();
    await page.getByRole('link', { name: 'Create storage' }).first().click();
    await page.getByLabel('Name').last().fill('Media!');
    await portal.choose('Location', 'Local');
    portal.expected.add('400 POST /storage/v4/object_storages');
    portal.expected.add('422 POST /storage/v4/object_storages');
    await press('Create storage');
    await page.locator('.mantine-InputWrapper-error', { hasText: 'must be lowercase letters' }).waitFor();
    await page.getByLabel('Name').last().fill('media');
    await press('Create storage');
    const [where = '', key = '', secret = ''] = await shown();
    address = where;
    await page.getByRole('link', { name: 'media' }).click();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await page.getByLabel('Name').last().fill('photos');
    await press('Create bucket');
    await page.getByRole('cell', { name: 'photos' }).waitFor();
    await client(key, secret).send(
      new PutObjectCommand({ Bucket: 'photos', Key: 'cat.jpg', Body: Buffer.alloc(200_000) }),
    );
    expect(await portal.barriers()).toEqual([]);
  });

  test('objects are uploaded, also in parts, looked at, shared, kept in versions and deleted', async () => {
    const { page } = portal;
    await page.getByRole('link', { name: 'photos' }).click();
    await page.getByRole('row', { name: /cat\.jpg 195 KiB/ }).waitFor();
    await page.getByRole('link', { name: 'Buckets', exact: true }).click();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await page.getByLabel('Name').last().fill('papers');
    await press('Create bucket');
    await page.getByRole('link', { name: 'papers' }).click();
    await page.getByText('Nothing is here').waitFor();
    const input = page.getByLabel('Files to upload');
    const kept = page.getByRole('switch', { name: 'Keep versions' });
    await expect.poll(() => kept.isEnabled()).toBe(true);
    await kept.click();
    await expect.poll(() => kept.isChecked()).toBe(true);
    const hello = (text: string) => [
      { name: 'hello.txt', mimeType: 'text/plain', buffer: Buffer.from(text) },
    ];
    await input.setInputFiles([
      ...hello('first words'),
      { name: 'film.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(33_600_000, 7) },
    ]);
    await page.getByRole('row', { name: /film\.bin 32\.0 MiB/ }).waitFor();
    expect(await portal.barriers()).toEqual([]);
    await input.setInputFiles(hello('second words, which are more'));
    await page.getByRole('row', { name: /hello\.txt 28 B/ }).waitFor();
    await portal.act(/hello\.txt/, 'Preview');
    await dialog().getByText('second words').waitFor();
    expect(await portal.barriers()).toEqual([]);
    const download = page.waitForEvent('download');
    await press('Download');
    expect((await download).suggestedFilename()).toBe('hello.txt');
    await page.keyboard.press('Escape');
    await portal.act(/hello\.txt/, 'Share a link…');
    const link = (await dialog().locator('code').textContent()) ?? '';
    expect(await (await fetch(link)).text()).toContain('second words');
    await page.keyboard.press('Escape');
    await portal.act(/hello\.txt/, 'Delete…');
    await press('Delete object');
    await page.getByRole('row', { name: /hello\.txt/ }).waitFor({ state: 'detached' });
    await input.setInputFiles(hello('third'));
    await page.getByRole('row', { name: /hello\.txt 5 B/ }).waitFor();
    await portal.act(/hello\.txt/, 'Versions…');
    await dialog()
      .getByRole('row', { name: /the newest/ })
      .waitFor();
    expect(
      await dialog()
        .getByRole('row', { name: /older|deleted/ })
        .count(),
    ).toBe(3);
    expect(await portal.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    for (const name of [/hello\.txt/, /film\.bin/]) {
      await portal.act(name, 'Delete…');
      await press('Delete object');
      await page.getByRole('row', { name }).waitFor({ state: 'detached' });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await portal.barriers()).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: 'Buckets', exact: true }).click();
    await page.getByRole('button', { name: 'Create bucket' }).waitFor();
  });

  test('a bucket that everybody may read is read without a key, by pages that may', async () => {
    const { page } = portal;
    expect((await fetch(`${address}/photos/cat.jpg`)).status).toBe(403);
    await portal.act(/photos/, /Access, CORS/);
    await page.getByRole('switch', { name: 'Everybody may read its objects' }).click();
    const origins = page.getByRole('combobox', { name: 'Allowed origins (CORS)' });
    await origins.fill('https://shop.example');
    await origins.press('Enter');
    await page.getByLabel('Delete objects after, in days').fill('30');
    expect(await portal.barriers()).toEqual([]);
    await press('Save');
    await page
      .getByRole('row', { name: /photos Public: everybody reads https:\/\/shop\.example 30 days/ })
      .waitFor();
    const answer = await fetch(`${address}/photos/cat.jpg`, { headers: { origin: 'https://shop.example' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://shop.example',
    ]);
  });

  test('a key that may only read is refused to write, and opens nothing when it is deleted', async () => {
    const { page } = portal;
    await tab('Access keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('switch', { name: 'It may only list and read' }).click();
    await press('Create key');
    const [key = '', secret = ''] = await shown();
    const reader = client(key, secret);
    const { Contents: found } = await reader.send(new ListObjectsV2Command({ Bucket: 'photos' }));
    expect(found?.map(({ Key }) => Key)).toEqual(['cat.jpg']);
    const write = new PutObjectCommand({ Bucket: 'photos', Key: 'dog.jpg', Body: 'dog' });
    await expect(reader.send(write)).rejects.toThrow();
    await portal.act(new RegExp(key), 'Delete…');
    await press('Delete key');
    await page.getByText(key).first().waitFor({ state: 'detached' });
    await expect(reader.send(new ListObjectsV2Command({ Bucket: 'photos' }))).rejects.toThrow();
  });

  test('what was used is drawn over time, against the threshold that was notified', async () => {
    const { page, virga } = portal;
    await tab('Usage');
    await page.getByRole('link', { name: 'Set threshold' }).click();
    await page.getByLabel('Threshold in GiB').fill('0.0001');
    await press('Set threshold');
    await page.getByRole('cell', { name: 'media, all of it' }).waitFor();
    await waitUntil(
      async () => (await virga.call('GET', '/virga/v1/storage_usage')).body.results[0]?.reached.length === 1,
      { what: 'the upload to be counted, and notified' },
    );
    // What the story of objects has deleted is kept in versions of its bucket.
    await portal.go(1, 'storages');
    await page.getByRole('row', { name: /media.*32\.2 MiB/i }).waitFor();
    await page.getByRole('link', { name: 'media' }).click();
    await tab('Usage');
    await page.getByText('Threshold: 105 KiB, reached and notified').waitFor();
    await waitUntil(async () => (await page.locator('.u-over').count()) === 5, { what: 'five charts' });
    expect(await portal.barriers()).toEqual([]);
    await page.getByText('Year', { exact: true }).click();
    await page.waitForURL(/span=year/);
  });

  test('a storage that was deleted is restored, with what is in it', async () => {
    const { page } = portal;
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    expect(await dialog().getByRole('button', { name: 'Delete storage' }).isDisabled()).toBe(true);
    await page.getByLabel('Type media to delete it').fill('media');
    // The page may ask for the storage in the moment in which it goes.
    portal.expected.add('404 GET /storage/v4/object_storages/1');
    for (const part of ['buckets', 'access_keys'])
      portal.expected.add(`404 GET /storage/v4/object_storages/1/${part}`);
    await press('Delete storage');
    await page.getByText('No storages').waitFor();
    await portal.go(1, 'storages?status=deleted');
    await portal.act(/media/, /^Restore/);
    await page.getByText('Nothing matches').waitFor();
    await portal.go(1, 'storages');
    await page.getByRole('link', { name: 'media' }).click();
    await page.getByRole('row', { name: /photos Public/ }).waitFor();
    address = (await page.locator('dd code').first().textContent()) ?? '';
    expect((await fetch(`${address}/photos/cat.jpg`)).status).toBe(200);
  });

  test('storages are readable in the dark and in a narrow window', async () => {
    const { page } = portal;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const part of ['buckets', 'keys', 'usage', 'connect']) {
      await page.goto(`${page.url().split('?')[0]}?tab=${part}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('tabpanel').first().waitFor();
      expect(await portal.barriers(), part).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), part).toBe(390);
    }
  });

  test('what is used is said to be unread where it could not be read', async () => {
    const { page } = portal;
    portal.expected.add('400 GET /virga/v1/storage_usage');
    await page.route('**/storage_usage?*', (route) =>
      route.fulfill({ status: 400, json: { message: 'No' } }),
    );
    await page.goto(page.url().split('?')[0] ?? '');
    await page.locator('dd').getByText('could not be read').waitFor();
    await page.getByRole('row', { name: /photos.*could not be read/ }).waitFor();
    await portal.go(1, 'storages');
    await page.getByRole('row', { name: /media.*could not be read/ }).waitFor();
    await page.unroute('**/storage_usage?*');
  });

  test('the browser had nothing to complain about', () => {
    expect(portal.complaints).toEqual([]);
  });
});
