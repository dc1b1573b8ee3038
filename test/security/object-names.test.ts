import {
  CopyObjectCommand,
  DeleteBucketPolicyCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalServer } from '../harness/regions.ts';
import { s3ClientOf } from '../harness/s3.ts';
import { lookFor, type TestServer } from '../harness/server.ts';

/** Names of objects that would be taken for others, or reach what the S3 server keeps for itself. */

const engines = await lookFor(['s3', 'postgresql-18']);
const fault = engines.faultOf('s3');
const LONG = 'x'.repeat(256);

describe.skipIf(fault !== undefined)(`names of objects${fault ? `: skipped, ${fault}` : ''}`, () => {
  let server: TestServer;
  let s3: S3Client;

  beforeAll(async () => {
    server = await startLocalServer({ engines });
    const body = { location_name: 'here', name: 'attacked' };
    const { body: made } = await server.call('POST', '/storage/v4/object_storages', { body });
    s3 = s3ClientOf(made.address, made.access_keys[0]);
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
});
