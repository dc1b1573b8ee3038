import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../harness/mail.ts';
import { startLocalServer } from '../harness/regions.ts';
import { lookFor, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** From an upload past a threshold to the mail and the webhook, over real servers of S3, mail and HTTP. */

const engines = await lookFor(['s3']);
const fault = engines.faultOf('s3');
const KIB = 1024;

describe.skipIf(fault !== undefined)(`usage is measured${fault ? `: skipped, ${fault}` : ''}`, () => {
  let server: TestServer;
  let mail: MailServer;
  let s3: S3Client;
  let receiver: Server;
  const events: { readonly type: string; readonly data: object }[] = [];

  const usage = async () => (await server.call('GET', '/virga/v1/storage_usage')).body.results[0];
  const total = async () =>
    (await server.call('POST', '/storage/stats/v1/storage/usage/total')).body.data[0].metrics;

  beforeAll(async () => {
    mail = await startMailServer();
    receiver = createServer(async (request, response) => {
      events.push(JSON.parse(await text(request)));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    server = await startLocalServer({ engines, smtpUrl: mail.url });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const target = { client_id: 1, url };
    await server.call('POST', '/virga/v1/webhook_targets', { as: 'operator', body: target });
    const made = await server.call('POST', '/storage/v4/object_storages', {
      body: { location_name: 'here', name: 'media' },
    });
    const { id, address, access_keys: keys } = made.body;
    await server.call('POST', `/storage/v4/object_storages/${id}/buckets`, { body: { name: 'photos' } });
    const credentials = { accessKeyId: keys[0].access_key, secretAccessKey: keys[0].secret_key };
    s3 = new S3Client({ endpoint: address, region: 'us-east-1', forcePathStyle: true, credentials });
  });
  afterAll(async () => {
    await server.close();
    await mail.close();
    receiver.close();
  });

  test('uploading past a threshold of space is reported by mail and webhook, once', async () => {
    const event = { name: 'reaching_used_space', storage_name: 'media', bytes: 100 * KIB };
    await server.call('POST', '/storage/notifications/v1/event', { body: event });
    await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'one', Body: Buffer.alloc(60 * KIB) }));
    await waitUntil(async () => (await usage())?.used_space === 60 * KIB, {
      what: 'the space to be measured',
    });
    expect([mail.received, events]).toEqual([[], []]);
    await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'a/two', Body: Buffer.alloc(50 * KIB) }));
    await waitUntil(() => mail.received.length === 1, { what: 'the mail' });
    expect(mail.received[0]?.text).toContain('used space of storage media has reached');
    await waitUntil(() => events.length === 1, { what: 'the webhook' });
    expect(events[0]).toMatchObject({
      type: 'storage.threshold_reached',
      data: { event: { name: 'reaching_used_space', storage_name: 'media' }, usage: 110 * KIB },
    });
    expect(await usage()).toMatchObject({ bucket_name: 'photos', used_space: 110 * KIB, files_quantity: 2 });
  });

  test('downloads count by what was sent, parts of objects too', async () => {
    const before = await total();
    const get = { Bucket: 'photos', Key: 'one', Range: `bytes=0-${10 * KIB - 1}` };
    await (await s3.send(new GetObjectCommand(get))).Body?.transformToByteArray();
    await waitUntil(
      async () => (await total()).requests_out_wo_edges_sum > before.requests_out_wo_edges_sum,
      {
        what: 'the download to be counted',
      },
    );
    const after = await total();
    const sent = after.traffic_out_wo_edges_sum - before.traffic_out_wo_edges_sum;
    expect(sent).toBeGreaterThanOrEqual(10 * KIB);
    expect(sent).toBeLessThan(12 * KIB);
    expect(after.requests_sum - before.requests_sum).toBe(1);
    expect(after.size_sum_max).toBe(110 * KIB);
  });

  test('what is deleted is no longer counted', async () => {
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'a/two' }));
    await waitUntil(async () => (await usage()).files_quantity === 1, { what: 'the deletion to be seen' });
    expect((await usage()).used_space).toBe(60 * KIB);
  });
});
