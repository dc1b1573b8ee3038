import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalServer } from '../harness/regions.ts';
import { s3ClientOf } from '../harness/s3.ts';
import { lookFor, type TestServer } from '../harness/server.ts';

/** Names of objects that would be taken for others, or reach what the S3 server keeps for itself. */

const engines = await lookFor(['s3', 'postgresql-18']);
const fault = engines.faultOf('s3');
const ENCRYPTION = 'x-amz-server-side-encryption';
/** As S3 clients write it for the name of the file. */
const FILE_NAME = '$' + '{filename}';
const LONG = 'x'.repeat(256);

describe.skipIf(fault !== undefined)(`names of objects${fault ? `: skipped, ${fault}` : ''}`, () => {
  let server: TestServer;
  let s3: S3Client;
  let address: string;

  beforeAll(async () => {
    server = await startLocalServer({ engines });
    const body = { location_name: 'here', name: 'attacked' };
    const { body: made } = await server.call('POST', '/storage/v4/object_storages', { body });
    address = made.address;
    s3 = s3ClientOf(address, made.access_keys[0]);
    const at = `/storage/v4/object_storages/${made.id}/buckets`;
    expect((await server.call('POST', at, { body: { name: 'photos' } })).status).toBe(201);
    await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'a/b', Body: 'first' }));
  });
  afterAll(() => server.close());

  const put = (Key: string, more = {}) =>
    s3.send(new PutObjectCommand({ Bucket: 'photos', Key, Body: 'second', ...more }));

  test.each([
    ['a//b', 'InvalidArgument'],
    ['/lead', 'InvalidArgument'],
    ['./a/b', 'InvalidArgument'],
    ['x/../a/b', 'InvalidArgument'],
    ['a/.', 'InvalidArgument'],
    ['a/..', 'InvalidArgument'],
    ['a/\0b', 'InvalidArgument'],
    ['a/\u0007b', 'InvalidArgument'],
    ['a/\u007f', 'InvalidArgument'],
    ['.sgwtmp/a', 'InvalidArgument'],
    ['a/.sgwtmp', 'InvalidArgument'],
    [`a/${LONG}`, 'KeyTooLongError'],
  ])(
    '%j is refused as the name of what is written, read and copied, and nothing changes',
    async (key, name) => {
      await expect(put(key)).rejects.toMatchObject({ name });
      await expect(s3.send(new GetObjectCommand({ Bucket: 'photos', Key: key }))).rejects.toMatchObject({
        name,
      });
      const source = encodeURIComponent(`/photos/${key}`);
      const copy = new CopyObjectCommand({ Bucket: 'photos', Key: 'copy', CopySource: source });
      await expect(s3.send(copy)).rejects.toMatchObject({ name });
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'photos' }));
      expect(Contents.map(({ Key }) => Key)).toEqual(['a/b']);
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'photos', Key: 'a/b' }));
      expect(await Body?.transformToString()).toBe('first');
    },
  );

  test('a policy locks out no full key, whatever it denies, and can be taken back', async () => {
    const statement = {
      Effect: 'Deny',
      Principal: '*',
      Action: ['s3:*'],
      Resource: ['arn:aws:s3:::photos/*'],
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await s3.send(new PutBucketPolicyCommand({ Bucket: 'photos', Policy }));
    await put('a/b', { Body: 'first' });
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: 'photos' }));
  });

  test('encryption that is not done is refused, not ignored', async () => {
    await expect(put('secret', { ServerSideEncryption: 'AES256' })).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });

  test('other names that look unusual are as good as any', async () => {
    const names = ['a/...b', 'c.sgwtmp', 'with space+plus%25', 'ü/日本', `${'y'.repeat(255)}`, 'dots..in/it'];
    for (const name of names) await put(name);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'photos' }));
    expect(Contents.map(({ Key }) => Key).sort()).toEqual(['a/b', ...names].sort());
  });

  const form = async (fields: Record<string, string>, Bucket = 'photos') => {
    const { url, fields: signed } = await createPresignedPost(s3, {
      Bucket,
      Key: fields.key ?? '',
      Conditions: Object.keys(fields).includes(ENCRYPTION) ? [['starts-with', `$${ENCRYPTION}`, '']] : [],
    });
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...signed, ...fields })) body.append(name, value);
    body.append('file', new Blob([fields.content ?? 'second']), 'cat.jpg');
    const answer = await fetch(url, { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };

  test.each(['a//b', '/lead', 'x/../a/b', 'a/./b', 'a/.sgwtmp'])(
    '%j is refused in the field of a form and in a deletion of several objects',
    async (key) => {
      expect(await form({ key })).toMatchObject({
        status: 400,
        text: expect.stringContaining('The name of an'),
      });
      const Objects = [{ Key: key }, { Key: 'nothing' }];
      const { Errors, Deleted } = await s3.send(
        new DeleteObjectsCommand({ Bucket: 'photos', Delete: { Objects } }),
      );
      expect([Errors?.map((each) => [each.Key, each.Code]), Deleted?.map(({ Key }) => Key)]).toEqual([
        [[key, 'InvalidArgument']],
        ['nothing'],
      ]);
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'photos', Key: 'a/b' }));
      expect(await Body?.transformToString()).toBe('first');
    },
  );

  test('what a form asks for and is not done is refused', async () => {
    expect(await form({ key: 'photo', [ENCRYPTION]: 'AES256' })).toMatchObject({
      status: 501,
    });
    expect(await form({ key: `in/${FILE_NAME}` })).toMatchObject({
      status: 501,
      text: expect.stringContaining(`${FILE_NAME} is not replaced`),
    });
    expect((await form({ key: 'photo' })).status).toBe(204);
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'photo' }));
  });

  test('a bucket in the host name is found, and no name is another one there either', async () => {
    const statement = {
      Effect: 'Allow',
      Principal: '*',
      Action: ['s3:GetObject'],
      Resource: ['arn:aws:s3:::photos/*'],
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await s3.send(new PutBucketPolicyCommand({ Bucket: 'photos', Policy }));
    const get = async (host: string, path: string) => {
      const { hostname, port } = new URL(address);
      const request = http.get({ hostname, port, path, headers: { host } });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return [response.statusCode, (await text(response)).slice(0, 5)];
    };
    expect(await get('photos.s3.localhost:9000', '/a/b')).toEqual([200, 'first']);
    for (const host of ['photos.s3.localhost', 'photos.s3.localhost.example'])
      expect(await get(host, '/./a/b')).toEqual([400, '<?xml']);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: 'photos' }));
  });

  test('signatures of version 2 are refused with what to set', async () => {
    const url = `${address}/photos/a/b?AWSAccessKeyId=a&Signature=b&Expires=9999999999`;
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('s3v4')]);
  });

  test('names in lists are encoded for whoever asks for it', async () => {
    await put('space and+plus%/ü');
    const list = (more = {}) =>
      s3.send(new ListObjectsV2Command({ Bucket: 'photos', Prefix: 'space ', ...more }));
    const encoded = await list({ EncodingType: 'url' });
    expect([encoded.EncodingType, encoded.Contents?.[0]?.Key, encoded.Prefix]).toEqual([
      'url',
      'space%20and%2Bplus%25/%C3%BC',
      'space%20',
    ]);
    expect((await list()).Contents?.[0]?.Key).toBe('space and+plus%/ü');
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'space and+plus%/ü' }));
  });

  const Bucket = 'pairs';
  const writers: Record<string, (Key: string, content: string) => Promise<unknown>> = {
    put: (Key, Body) => s3.send(new PutObjectCommand({ Bucket, Key, Body })),
    form: async (key, content) => {
      const { status } = await form({ key, content }, Bucket);
      if (status !== 204) throw new Error(`status ${status}`);
    },
    copy: async (Key, Body) => {
      await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'source', Body }));
      await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: 'photos/source' }));
    },
    parts: async (Key, Body) => {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body }));
      const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
      await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
    },
  };

  test('no two names are those of one object, over all ways to write them', async () => {
    const segment = fc.constantFrom(
      'a',
      'b',
      '.',
      '..',
      '',
      'A',
      '%2F',
      '%00',
      '...',
      ' ',
      '+',
      'ü',
      'u\u0308',
      '.sgwtmp',
      '\\',
      '?',
      '#',
    );
    const names = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const ways = fc.constantFrom(...Object.keys(writers));
    const writes = fc.sample(fc.tuple(names.filter(Boolean), ways), { numRuns: 60, seed: 7 });
    await s3.send(new CreateBucketCommand({ Bucket }));
    const desired = new Map<string, string>();
    for (const [i, [key, way]] of writes.entries()) {
      const body = `${i}`;
      const done = await writers[way]?.(key, body).then(
        () => true,
        () => false,
      );
      if (done) desired.set(key, body);
    }
    const found = new Map<string, string>();
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key = '' } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      found.set(Key, (await Body?.transformToString()) ?? '');
    }
    expect([...found].sort()).toEqual([...desired].sort());
    expect(desired.size).toBeGreaterThan(10);
  });
});
