import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCorsCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expire } from '../../server/src/providers/local/object-storage/expire.ts';
import { pathsOf } from '../../server/src/providers/local/object-storage/paths.ts';
import { Server } from '../../server/src/providers/local/object-storage/server.ts';
import { holdNextLook } from '../harness/held-look.ts';
import { processesIn } from '../harness/leftovers.ts';
import { pauseDataPlanes } from '../harness/paused.ts';
import { startLocalServer } from '../harness/regions.ts';
import { s3ClientOf } from '../harness/s3.ts';
import { lookFor, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Storages of a local region are real: the AWS SDK works against what the API gave. */

const STORAGES = '/storage/v4/object_storages';
const engines = await lookFor(['s3', 'postgresql-18']);
const fault = engines.faultOf('s3');

describe.skipIf(fault !== undefined)(`object storage is real${fault ? `: skipped, ${fault}` : ''}`, () => {
  let server: TestServer;
  let id: number;
  let address: string;
  let s3: S3Client;

  const call = (method: string, rest: string, body?: unknown) =>
    server.call(method, `${STORAGES}${rest}`, body === undefined ? {} : { body });
  const make = async (name: string) => {
    const { status, body } = await call('POST', '', { location_name: 'here', name });
    expect([status, body.error]).toEqual([201, undefined]);
    return body;
  };
  const put = (Key: string, Body: string, client = s3) =>
    client.send(new PutObjectCommand({ Bucket: 'photos', Key, Body }));
  const get = async (Key: string, client = s3) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'photos', Key }));
    return Body?.transformToString();
  };
  const home = (storage = id) =>
    path.join(server.dataDir, 'regions', '1', 'object-storage', `storage-${storage}`);
  const pidOf = (file: string) => Number(readFileSync(path.join(home(), file), 'utf8').trim());

  beforeAll(async () => {
    server = await startLocalServer({ engines });
    const made = await make('media');
    id = made.id;
    address = made.address;
    expect(made.provisioning_status).toBe('active');
    s3 = s3ClientOf(address, made.access_keys[0]);
    expect((await call('POST', `/${id}/buckets`, { name: 'photos' })).status).toBe(201);
  });
  afterAll(() => server.close());

  test('signed addresses do one thing for a time, directly and passed on, and only for their account', async () => {
    const sign = (body: object, as?: 'other client') =>
      server.call('POST', `/virga/v1/object_storages/${id}/signed_urls`, { body, ...(as ? { as } : {}) });
    const origin = await server.api.listen({ port: 0, host: '127.0.0.1' });
    const pathName = '/photos/signed/a+b & ü.txt';
    const put = (await sign({ method: 'PUT', path: pathName })).body;
    const sent = await fetch(`${origin}${put.passed_on}`, {
      method: 'PUT',
      body: 'hello',
      headers: { 'content-type': 'text/javascript' },
    });
    expect([sent.status, sent.headers.get('etag')]).toEqual([200, expect.any(String)]);
    expect(await get('signed/a+b & ü.txt')).toBe('hello');
    const { body, status } = await sign({ method: 'GET', path: pathName, expires_seconds: 60 });
    expect(status).toBe(201);
    expect(await (await fetch(body.url)).text()).toBe('hello');
    const passed = await fetch(`${origin}${body.passed_on}`, { headers: { range: 'bytes=0-1' } });
    expect([passed.status, await passed.text()]).toEqual([206, 'he']);
    // What a tenant has stored runs nothing in the name of this origin.
    expect(passed.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(passed.headers.get('content-disposition')).toBe('attachment');
    expect(passed.headers.get('content-type')).toBe('application/octet-stream');
    const list = await sign({
      method: 'GET',
      path: '/photos',
      parameters: { 'list-type': '2', prefix: 'signed/' },
    });
    expect(await (await fetch(`${origin}${list.body.passed_on}`)).text()).toContain('<Key>signed/');
    for (const [target, expected] of [
      [body.passed_on.replace(/Signature=..../, 'Signature=0000'), 403],
      [body.passed_on.replace('/signed/', '/other/'), 403],
      [body.passed_on.replace(`/objects/${id}/`, '/objects/999/'), 404],
      [`/objects/${id}/photos?list-type=2`, 403],
    ] as const)
      expect((await fetch(`${origin}${target}`)).status, target).toBe(expected);
    expect((await fetch(`${origin}${body.passed_on}`, { method: 'DELETE' })).status).toBe(403);
    const endless = { method: 'PUT', body: new Blob(['x']).stream(), duplex: 'half' } as const;
    expect((await fetch(`${origin}${put.passed_on}`, endless)).status).toBe(411);
    expect((await sign({ method: 'GET', path: pathName }, 'other client')).status).toBe(404);
    const odd = await sign({
      method: 'GET',
      path: '/photos/../theirs/a',
      parameters: { 'X-Amz-Expires': '9' },
    });
    expect([odd.status, Object.keys(odd.body.errors ?? odd.body.error ?? odd.body)]).toEqual([
      400,
      expect.anything(),
    ]);
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'signed/a+b & ü.txt' }));
  });

  test('who may use a bucket is what the server says, also when S3 clients have made or changed it', async () => {
    const bucket = async (name: string) => (await call('GET', `/${id}/buckets/${name}`)).body;
    const anonymous = async () => (await fetch(`${address}/theirs/one`)).status;
    const { body: key } = await call('POST', `/${id}/access_keys`, { read_only: true });
    await s3.send(new CreateBucketCommand({ Bucket: 'theirs' }));
    await s3.send(new PutObjectCommand({ Bucket: 'theirs', Key: 'one', Body: 'read' }));
    const reader = s3ClientOf(address, key);
    const read = () => reader.send(new GetObjectCommand({ Bucket: 'theirs', Key: 'one' }));
    await waitUntil(read, { what: 'a key that reads, in a bucket of a client' });
    await waitUntil(async () => (await bucket('theirs')).name === 'theirs', {
      what: 'the bucket in the API',
    });

    await call('PATCH', `/${id}/buckets/theirs`, { policy: { is_public: true } });
    expect([await anonymous(), (await bucket('theirs')).policy]).toEqual([200, { is_public: true }]);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: 'theirs' }));
    await waitUntil(async () => !(await bucket('theirs')).policy.is_public, { what: 'is_public to end' });
    expect([await anonymous(), await read().then(() => 'read')]).toEqual([403, 'read']);
    await call('PATCH', `/${id}/buckets/theirs`, { policy: { is_public: true } });
    expect(await anonymous()).toBe(200);

    const rule = { AllowedMethods: ['GET'], AllowedOrigins: ['https://theirs.example'] };
    await s3.send(new PutBucketCorsCommand({ Bucket: 'theirs', CORSConfiguration: { CORSRules: [rule] } }));
    const origins = { allowed_origins: ['https://theirs.example'] };
    await waitUntil(async () => (await bucket('theirs')).cors.allowed_origins.length > 0, {
      what: 'origins',
    });
    expect((await bucket('theirs')).cors).toEqual(origins);
    // What is changed for another reason leaves their rule as it is.
    await call('DELETE', `/${id}/access_keys/${key.access_key}`);
    const { CORSRules } = await s3.send(new GetBucketCorsCommand({ Bucket: 'theirs' }));
    expect(CORSRules).toEqual([rule]);
    await s3.send(new DeleteObjectCommand({ Bucket: 'theirs', Key: 'one' }));
    expect((await call('DELETE', `/${id}/buckets/theirs`)).status).toBe(204);
  });

  test('objects are written, read in parts, listed, copied out by a signed link, and deleted', async () => {
    await put('a/one.txt', 'hello world');
    expect(await get('a/one.txt')).toBe('hello world');
    const part = await s3.send(
      new GetObjectCommand({ Bucket: 'photos', Key: 'a/one.txt', Range: 'bytes=6-10' }),
    );
    expect(await part.Body?.transformToString()).toBe('world');
    const listed = await s3.send(new ListObjectsV2Command({ Bucket: 'photos', Prefix: 'a/' }));
    expect(listed.Contents?.map(({ Key }) => Key)).toEqual(['a/one.txt']);
    const link = await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'photos', Key: 'a/one.txt' }));
    expect(await (await fetch(link)).text()).toBe('hello world');
    expect((await fetch(`${address}/photos/a/one.txt`)).status).toBe(403);
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'a/one.txt' }));
    await expect(get('a/one.txt')).rejects.toThrow('does not exist');
  });

  test('while its client is suspended it may serve nobody, and then it has all that it had', async () => {
    await put('kept.txt', 'kept');
    await pauseDataPlanes(server, true);
    const isSilent = () =>
      fetch(address).then(
        () => false,
        () => true,
      );
    await waitUntil(isSilent, { what: 'the storage to serve nobody' });
    await pauseDataPlanes(server, false);
    expect(await waitUntil(() => get('kept.txt'), { what: 'the storage to serve again' })).toBe('kept');
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'kept.txt' }));
  });

  test('large objects come in parts, and versions are kept', async () => {
    const scope = { Bucket: 'photos', Key: 'large.bin' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(scope));
    const sizes = [5 * 1024 * 1024, 1000];
    const Parts = [];
    for (const [i, size] of sizes.entries()) {
      const upload = { ...scope, UploadId, PartNumber: i + 1, Body: Buffer.alloc(size, i) };
      Parts.push({ ETag: (await s3.send(new UploadPartCommand(upload))).ETag, PartNumber: i + 1 });
    }
    await s3.send(new CompleteMultipartUploadCommand({ ...scope, UploadId, MultipartUpload: { Parts } }));
    expect((await s3.send(new HeadObjectCommand(scope))).ContentLength).toBe(5 * 1024 * 1024 + 1000);
    const other = await s3.send(new CreateMultipartUploadCommand(scope));
    await s3.send(new AbortMultipartUploadCommand({ ...scope, UploadId: other.UploadId }));
    await s3.send(new CreateBucketCommand({ Bucket: 'kept' }));
    const Status = 'Enabled' as const;
    await s3.send(new PutBucketVersioningCommand({ Bucket: 'kept', VersioningConfiguration: { Status } }));
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket: 'kept' }))).Status).toBe('Enabled');
    const first = await s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'x', Body: 'one' }));
    await s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'x', Body: 'two' }));
    const old = await s3.send(new GetObjectCommand({ Bucket: 'kept', Key: 'x', VersionId: first.VersionId }));
    expect(await old.Body?.transformToString()).toBe('one');
  });

  test('buckets that a client has made are listed by the API, and those with objects stay', async () => {
    await waitUntil(async () => (await call('GET', `/${id}/buckets/kept`)).status === 200, {
      what: 'the bucket to be seen',
    });
    const refused = await call('DELETE', `/${id}/buckets/kept`);
    expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('it has objects')]);
    expect((await call('GET', `/${id}/buckets/kept`)).status).toBe(200);
    await s3.send(new DeleteObjectCommand({ Bucket: 'kept', Key: 'x' }));
    const { body } = await call('DELETE', `/${id}/buckets/kept`);
    expect(body.error).toContain('it has older versions of objects: delete those, too');
    expect((await call('POST', `/${id}/buckets`, { name: 'empty' })).status).toBe(201);
    const names = async () => (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name);
    expect(await names()).toContain('empty');
    expect((await call('DELETE', `/${id}/buckets/empty`)).status).toBe(204);
    expect(await names()).not.toContain('empty');
  });

  test('a read-only key reads and changes nothing; a deleted key opens nothing', async () => {
    await put('shared.txt', 'for readers');
    const { body: key } = await call('POST', `/${id}/access_keys`, { read_only: true });
    const reader = s3ClientOf(address, key);
    expect(await get('shared.txt', reader)).toBe('for readers');
    const listed = await reader.send(new ListObjectsV2Command({ Bucket: 'photos' }));
    expect(listed.Contents?.map(({ Key }) => Key)).toContain('shared.txt');
    await expect(put('mine.txt', 'no', reader)).rejects.toThrow('Access Denied');
    await expect(reader.send(new CreateBucketCommand({ Bucket: 'mine' }))).rejects.toThrow();
    const other = { Bucket: 'photos', Key: 'shared.txt' };
    await expect(reader.send(new DeleteObjectCommand(other))).rejects.toThrow('Access Denied');
    expect((await call('DELETE', `/${id}/access_keys/${key.access_key}`)).status).toBe(204);
    await expect(get('shared.txt', reader)).rejects.toThrow('does not exist in our records');
  });

  test('a key of one storage opens no other', async () => {
    const other = await make('other');
    expect(other.address).not.toBe(address);
    await expect(get('shared.txt', s3ClientOf(address, other.access_keys[0]))).rejects.toThrow('records');
    await call('DELETE', `/${other.id}`);
  });

  test('public reading and CORS count as soon as they are set, and end as soon', async () => {
    const link = `${address}/photos/shared.txt`;
    const change = (body: object) => call('PATCH', `/${id}/buckets/photos`, body);
    await change({ policy: { is_public: true }, cors: { allowed_origins: ['https://app.example'] } });
    const open = await fetch(link, { headers: { origin: 'https://app.example' } });
    expect([open.status, await open.text()]).toEqual([200, 'for readers']);
    expect(open.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect((await fetch(link, { method: 'PUT', body: 'no' })).status).toBe(403);
    expect((await fetch(`${address}/photos`)).status).toBe(403);
    const requested = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };
    expect((await fetch(link, { method: 'OPTIONS', headers: requested })).status).toBe(200);
    const strange = { ...requested, origin: 'https://evil.example' };
    expect((await fetch(link, { method: 'OPTIONS', headers: strange })).status).toBe(403);
    await change({ policy: { is_public: false }, cors: { allowed_origins: [] } });
    expect((await fetch(link)).status).toBe(403);
  });

  test('what an S3 client has set of policy and CORS stays beside what is set by the API', async () => {
    const change = (body: object) => call('PATCH', `/${id}/buckets/photos`, body);
    const rule = { AllowedOrigins: ['https://own.example'], AllowedMethods: ['GET'], MaxAgeSeconds: 30 };
    await change({ policy: { is_public: true }, cors: { allowed_origins: ['https://app.example'] } });
    const { CORSRules = [] } = await s3.send(new GetBucketCorsCommand({ Bucket: 'photos' }));
    const CORSConfiguration = { CORSRules: [rule, ...CORSRules] };
    await s3.send(new PutBucketCorsCommand({ Bucket: 'photos', CORSConfiguration }));
    const policy = async () => (await s3.send(new GetBucketPolicyCommand({ Bucket: 'photos' }))).Policy ?? '';
    const own = {
      Sid: 'Own',
      Effect: 'Deny',
      Principal: '*',
      Action: ['s3:GetObject'],
      Resource: ['arn:aws:s3:::photos/secret/*'],
    };
    const both = JSON.parse(await policy());
    both.Statement.push(own);
    await s3.send(new PutBucketPolicyCommand({ Bucket: 'photos', Policy: JSON.stringify(both) }));
    await change({ cors: { allowed_origins: ['https://other.example'] } });
    const origins = async () =>
      (await s3.send(new GetBucketCorsCommand({ Bucket: 'photos' }))).CORSRules?.map(
        ({ AllowedOrigins }) => AllowedOrigins,
      );
    expect(await origins()).toEqual([['https://own.example'], ['https://other.example']]);
    await call('POST', `/${id}/access_keys`, { read_only: true });
    expect(JSON.parse(await policy()).Statement).toHaveLength(3);
    expect(await origins()).toHaveLength(2);
    await change({ policy: { is_public: false }, cors: { allowed_origins: [] } });
    const left = JSON.parse(await policy()).Statement;
    expect(left.map(({ Sid }: { Sid: string }) => Sid)).toEqual(['Own', 'VirgaReadOnlyKeys']);
    expect(await origins()).toEqual([['https://own.example']]);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: 'photos' }));
    await s3.send(new DeleteBucketCorsCommand({ Bucket: 'photos' }));
  });

  test('objects go when their days are over, and others stay', async () => {
    for (const Bucket of ['short', 'long']) {
      await s3.send(new CreateBucketCommand({ Bucket }));
      await s3.send(new PutObjectCommand({ Bucket, Key: 'a & b/<c>.txt', Body: 'x' }));
    }
    const engine = { program: () => engines.programOf('s3'), fault: () => fault };
    const paths = pathsOf(path.dirname(home()), String(id));
    const server = new Server(paths, { engine, now: () => new Date() });
    const bucket = (name: string, expirationDays: number) => ({
      name,
      expirationDays,
      isPublic: false,
      allowedOrigins: [],
    });
    const buckets = [bucket('short', 1), bucket('long', 3), bucket('photos', 0)];
    const later = new Date(Date.now() + 2 * 86_400_000);
    const { signal } = new AbortController();
    expect(await expire(server, buckets, new Date(), signal)).toBe(0);
    const stopping = AbortSignal.abort(new Error('the server stops'));
    await expect(expire(server, buckets, later, stopping)).rejects.toThrow('the server stops');
    expect(await expire(server, buckets, later, signal)).toBe(1);
    const left = async (Bucket: string) =>
      (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key);
    expect([await left('short'), await left('long')]).toEqual([undefined, ['a & b/<c>.txt']]);
    expect(await get('shared.txt')).toBe('for readers');
  });

  test('its programs are not those of root', () => {
    for (const file of ['server.pid', 'gateway.pid']) {
      const status = readFileSync(`/proc/${pidOf(file)}/status`, 'utf8');
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
      if (process.getuid?.() === 0) expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000');
    }
  });

  test.each(['server.pid', 'gateway.pid'])(
    'when %s is killed it comes back with all objects',
    async (file) => {
      const pid = pidOf(file);
      process.kill(pid, 'SIGKILL');
      await waitUntil(async () => (await get('shared.txt').catch(() => '')) === 'for readers', {
        what: 'the storage to be back',
      });
      expect(pidOf(file)).not.toBe(pid);
    },
  );

  test('it serves on, untouched, when another server takes the region over', async () => {
    const pid = pidOf('server.pid');
    await server.restart();
    expect(await get('shared.txt')).toBe('for readers');
    expect(pidOf('server.pid')).toBe(pid);
  });

  test('deleting ends its programs; it comes back whole, and when it is purged nothing is left', async () => {
    const gone = await make('gone');
    const client = s3ClientOf(gone.address, gone.access_keys[0]);
    await client.send(new CreateBucketCommand({ Bucket: 'photos' }));
    await put('a.txt', 'still here', client);
    expect(processesIn(home(gone.id)).length).toBeGreaterThan(1);
    expect((await call('DELETE', `/${gone.id}`)).status).toBe(204);
    expect(processesIn(home(gone.id))).toEqual([]);
    await expect(fetch(`${gone.address}/`)).rejects.toThrow();
    expect((await call('POST', `/${gone.id}/restore`)).status).toBe(204);
    const back = (await call('GET', `/${gone.id}`)).body.address;
    expect(await get('a.txt', s3ClientOf(back, gone.access_keys[0]))).toBe('still here');
    await call('DELETE', `/${gone.id}`);
    const provider = server.providers.of('objectStorage')(1);
    await provider?.purge?.(String(gone.id));
    // Once more, as when nobody could note that it was done.
    await provider?.purge?.(String(gone.id));
    expect(readdirSync(path.dirname(home()))).not.toContain(`storage-${gone.id}`);
  });

  test('what was deleted while all storages were being looked at stays ended, and can be restored', async () => {
    const { id: leaving } = await make('leaving');
    const provider = server.providers.of('objectStorage')(1);
    const look = provider?.observeStorages;
    if (!provider || !look) throw new Error('nobody looks after storages');
    const goOn = await holdNextLook(look, (observeStorages) => Object.assign(provider, { observeStorages }));
    expect((await call('DELETE', `/${leaving}`)).status).toBe(204);
    await goOn();
    expect(processesIn(home(leaving))).toEqual([]);
    expect((await call('POST', `/${leaving}/restore`)).status).toBe(204);
    expect(processesIn(home(leaving)).length).toBeGreaterThan(1);
  });
});

test('without its engine a region has no locations, and says how to get it', async () => {
  const bare = await startLocalServer();
  try {
    expect((await bare.call('GET', '/storage/v4/locations?type=standard')).body).toEqual({
      count: 0,
      results: [],
    });
    const { status, body } = await bare.call('POST', STORAGES, {
      body: { location_name: 'here', name: 'x1' },
    });
    expect([status, body.error]).toEqual([403, expect.stringContaining('npm run engines -- install s3')]);
  } finally {
    await bare.close();
  }
});
