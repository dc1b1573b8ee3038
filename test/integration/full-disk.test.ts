import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RegionProvider } from '../../server/src/regions/region-providers.ts';
import { canMount, fillDisk, mountDisk } from '../harness/disk.ts';
import { clusterBody } from '../harness/managed-postgresql.ts';
import { startLocalServer } from '../harness/regions.ts';
import { s3ClientOf } from '../harness/s3.ts';
import { lookFor, type TestServer } from '../harness/server.ts';
import { connectSftp } from '../harness/sftp.ts';
import { waitUntil } from '../harness/wait.ts';

/** A disk that is full for real: small file systems of their own, below the folders of both kinds of storage. */

const DISK_BYTES = 24 * 1024 * 1024;
const engines = await lookFor(['s3', 'postgresql-18']);
const why = engines.faultOf('s3') ?? (canMount() ? undefined : 'file systems cannot be mounted here');
const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
const KIND = { s3: 'object-storage', sftp: 'sftp-storage', sql: 'postgresql' } as const;
/** An empty cluster uses 40 MiB, and so does the one that it is copied from; changes are logged beside it. */
const ROOM_FOR_CLUSTERS = 500 * 1024 * 1024;
/** Without its log of changes an empty cluster uses about 24 MiB. */
const ROOM_FOR_ONE_COPY = 50 * 1024 * 1024;
const KINDS = ['s3', 'sftp', 'sql'] as const;

describe.skipIf(why !== undefined)(`a full disk${why ? `: skipped, ${why}` : ''}`, () => {
  let server: TestServer;

  const folder = (kind: keyof typeof KIND) => path.join(server.dataDir, 'regions', '1', KIND[kind]);
  const ballast = (kind: keyof typeof KIND) => path.join(folder(kind), 'ballast');
  const fill = (kind: keyof typeof KIND) => fillDisk(ballast(kind));
  const make = (kind: 's3' | 'sftp', name: string) =>
    server.call('POST', kind === 's3' ? '/storage/v4/object_storages' : '/storage/v4/sftp_storages', {
      body: { location_name: 'here', name, ...(kind === 'sftp' ? { password_mode: 'auto' } : {}) },
    });
  const lastError = async (type: string) => {
    const { body } = await server.call('GET', `/cloud/v1/tasks?task_type=${type}&state=ERROR`);
    return body.results[0]?.error;
  };

  beforeAll(async () => {
    // Without what is observed now and then, which refuses creations before the disk does.
    const aroundProvider = ({ capacity: _, ...provider }: RegionProvider): RegionProvider => provider;
    server = await startLocalServer({ engines, aroundProvider });
    for (const kind of KINDS) mountDisk(folder(kind), kind === 'sql' ? ROOM_FOR_CLUSTERS : DISK_BYTES);
  });
  afterAll(async () => {
    // First the programs, whose files are there.
    await server.providers.close('stop');
    for (const kind of KINDS) execFileSync('umount', ['--lazy', folder(kind)]);
    await server.close();
  });

  test.each(['s3', 'sftp'] as const)('a new storage over %s says so, and leaves nothing', async (kind) => {
    fill(kind);
    const { status, body } = await make(kind, `none-${kind}`);
    expect([status, body.error]).toEqual([409, expect.stringContaining('disk')]);
    const type = kind === 's3' ? 'create_object_storage' : 'create_sftp_storage';
    expect(await lastError(type)).toContain('The disk is full');
    expect(readdirSync(folder(kind))).toEqual(['ballast']);
    rmSync(ballast(kind));
    const again = await make(kind, `none-${kind}`);
    expect([again.status, again.body.error]).toEqual([201, undefined]);
  });

  test('uploads over SFTP say so, and go on when there is room', async () => {
    const { body } = await make('sftp', 'uploads');
    const files = await connectSftp({
      address: body.address,
      username: body.full_name,
      password: body.password,
    });
    await files.write('/before', 'here');
    fill('sftp');
    await expect(files.write('/large', Buffer.alloc(1_000_000))).rejects.toThrow(
      'disk of this storage is full',
    );
    expect(await files.read('/before')).toBe('here');
    const changed = await server.call('PATCH', `/storage/v4/sftp_storages/${body.id}`, {
      body: { password_mode: 'none' },
    });
    expect([changed.status, changed.body.error]).toEqual([409, expect.stringContaining('disk is full')]);
    rmSync(ballast('sftp'));
    await files.write('/large', Buffer.alloc(1_000_000));
    expect((await files.read('/large')).length).toBe(1_000_000);
    files.end();
    const shown = await server.call('GET', `/storage/v4/sftp_storages/${body.id}`);
    expect(shown.body).toMatchObject({ provisioning_status: 'active', has_password: true });
  });

  test('S3 clients and the API say so, and go on when there is room', async () => {
    const { body } = await make('s3', 'uploads-s3');
    const [key] = body.access_keys;
    const s3 = s3ClientOf(body.address, key);
    await s3.send(new CreateBucketCommand({ Bucket: 'photos' }));
    fill('s3');
    const put = { Bucket: 'photos', Key: 'large', Body: Buffer.alloc(1_000_000) };
    await expect(s3.send(new PutObjectCommand(put))).rejects.toThrow();
    const buckets = `/storage/v4/object_storages/${body.id}/buckets`;
    const refused = await server.call('POST', buckets, { body: { name: 'more' } });
    expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('disk is full')]);
    rmSync(ballast('s3'));
    await s3.send(new PutObjectCommand(put));
    expect((await server.call('POST', buckets, { body: { name: 'more' } })).status).toBe(201);
    expect((await server.call('DELETE', `/storage/v4/object_storages/${body.id}`)).status).toBe(204);
  });

  test('a new PostgreSQL cluster says so, and leaves nothing', async () => {
    await server.call('PUT', '/cloud/v1/dbaas/status/1/1', { body: { is_initialized: true } });
    const prepared = path.join(folder('sql'), 'templates', '18');
    await waitUntil(() => existsSync(prepared), { what: 'what clusters are copied from' });
    const body = { ...clusterBody('one'), flavor: { cpu: 1, memory_gib: 1 } };
    const create = async () => server.ended(await server.call('POST', CLUSTERS, { body }));
    fill('sql');
    const full = expect.stringContaining('The disk is full');
    expect(await create()).toMatchObject({ state: 'ERROR', error: full });
    expect(readdirSync(folder('sql')).sort()).toEqual(['ballast', 'templates']);
    rmSync(ballast('sql'));
    expect(await create()).toMatchObject({ state: 'FINISHED', error: null });
  });

  test('a replica for which there is room, and none beside it, does not take that of its primary', async () => {
    const { bavail, bsize } = statfsSync(folder('sql'));
    writeFileSync(ballast('sql'), Buffer.alloc(bavail * bsize - ROOM_FOR_ONE_COPY));
    const change = async () =>
      server.ended(
        await server.call('PATCH', `${CLUSTERS}/one`, {
          body: { high_availability: { replication_mode: 'sync' } },
        }),
      );
    const full = expect.stringMatching(/^A copy needs \d+ MiB on the disk, which has 50 MiB: /);
    expect(await change()).toMatchObject({ state: 'ERROR', error: full });
    const left = statfsSync(folder('sql'));
    expect(left.bavail * left.bsize).toBeGreaterThan(ROOM_FOR_ONE_COPY / 2);
    rmSync(ballast('sql'));
    expect(await change()).toMatchObject({ state: 'FINISHED', error: null });
  });
});
