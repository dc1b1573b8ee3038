import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cable, cableFault, newCable, run } from '../harness/cable.ts';
import { clusterBody } from '../harness/managed-postgresql.ts';
import { pauseDataPlanes } from '../harness/paused.ts';
import { lookFor, startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Databases and storages at addresses that others can reach: their clients are in another network namespace. */

const engines = await lookFor(['s3', 'postgresql-18']);
const fault = cableFault() ?? engines.faultOf('s3');
const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
const STORAGES = '/storage/v4/object_storages';
const RANGE = /^203\.0\.113\.(9[7-9]|1[01]\d)$/;

describe.skipIf(fault !== undefined)(
  `services that others can reach${fault ? `: skipped, ${fault}` : ''}`,
  () => {
    let server: TestServer;
    let cable: Cable;
    let work: string;

    const region = (id: number, more: object) => ({
      id,
      display_name: `Out ${id}`,
      slug: `out-${id}`,
      state: 'ACTIVE' as const,
      provider: 'local',
      settings: more,
    });
    const call = async (method: string, where: string, body?: unknown) => {
      const reply = await server.call(method, where, body === undefined ? {} : { body });
      expect([reply.status < 300, reply.body?.error ?? reply.body?.message]).toEqual([true, undefined]);
      return reply;
    };
    const ended = async (method: string, where: string, body?: unknown) => {
      const task = await server.ended(await call(method, where, body));
      expect([task.error, task.state]).toEqual([null, 'FINISHED']);
    };
    /** A file that the client can read. */
    const file = (name: string, text: string) => {
      writeFileSync(path.join(work, name), text);
      return path.join(work, name);
    };

    beforeAll(async () => {
      cable = newCable('203.0.113');
      const addresses = [{ range: '203.0.113.96/27', interface: cable.here }];
      const services = ['postgresql', 'object_storage', 'sftp_storage'] as const;
      server = await startTestServer({
        engines,
        regions: [
          region(1, { addresses, external_services: services }),
          region(2, { addresses: [{ range: '203.0.113.160/28', interface: cable.here }] }),
        ],
      });
      work = mkdtempSync(path.join(server.dataDir, 'client-'));
      for (const id of [1, 2]) await call('PUT', `/cloud/v1/dbaas/status/1/${id}`, { is_initialized: true });
    });

    afterAll(async () => {
      await server?.close();
      cable?.remove();
    });

    test('of load balancers that come at the same moment, as many are accepted as there are addresses', async () => {
      const jobs = server.app.features.find(({ name }) => name === 'capacity')?.background ?? [];
      for (const job of jobs) await job.run(new AbortController().signal);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name: `fast-${at}` } }),
        ),
      );
      const accepted = answers.filter(({ status }) => status === 200);
      expect(accepted).toHaveLength(14);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(6);
      const tasks = await Promise.all(accepted.map((each) => server.ended(each)));
      expect(tasks.map(({ state, error }) => [state, error])).toEqual(tasks.map(() => ['FINISHED', null]));
      // Without another look.
      const { results } = (await call('GET', '/cloud/v1/loadbalancers/1/2')).body;
      const [first] = results;
      await ended('DELETE', `/cloud/v1/loadbalancers/1/2/${first.id}`);
      await ended('POST', '/cloud/v1/loadbalancers/1/2', { name: 'in-its-place' });
    });

    test('PostgreSQL is reached over TLS, and its address goes and comes with it', async () => {
      const acl = ['203.0.113.0/24'];
      const body = clusterBody('out');
      await ended('POST', CLUSTERS, {
        ...body,
        flavor: { cpu: 1, memory_gib: 1 },
        network: { ...body.network, acl },
      });
      const { network } = (await call('GET', `${CLUSTERS}/out`)).body;
      expect(network.host).toMatch(RANGE);
      const ca = file('pg.pem', (await call('GET', `${CLUSTERS}/out/ca_certificate`)).body.ca_certificate);
      const { password } = (await call('GET', `${CLUSTERS}/out/users/app/credentials`)).body;
      const requested = (mode: string) =>
        cable.script(
          `import pg from 'pg';
        const url = 'postgresql://app@${network.host}:5432/shop?sslmode=${mode}&sslrootcert=${ca}';
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        const { rows } = await client.query('select current_database() as name');
        await client.end();
        process.stdout.write(rows[0].name);`,
          { PGPASSWORD: password },
        );
      expect(await requested('verify-full')).toBe('shop');
      await expect(requested('disable')).rejects.toThrow('no encryption');

      // What somebody has removed comes back.
      run('ip', 'addr', 'del', `${network.host}/32`, 'dev', cable.here);
      await waitUntil(() => cable.addresses().includes(`${network.host}/32`), {
        what: 'its address to be back',
      });
      expect(await requested('verify-full')).toBe('shop');
      await ended('DELETE', `${CLUSTERS}/out`);
      expect(cable.addresses()).not.toContain(`${network.host}/32`);
    });

    test('S3 is reached over TLS alone, with a certificate of its own, also at another address', async () => {
      const made = (await call('POST', STORAGES, { location_name: 'out-1', name: 'media' })).body;
      const [key] = made.access_keys;
      await call('POST', `${STORAGES}/${made.id}/buckets`, { name: 'photos' });
      const stored = async (address: string) => {
        const { ca_certificate } = (await call('GET', `/virga/v1/object_storages/${made.id}/ca_certificate`))
          .body;
        return cable.script(
          `import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
        const s3 = new S3Client({ endpoint: '${address}', region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 });
        await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'cat', Body: 'meow' }));
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'photos', Key: 'cat' }));
        process.stdout.write(await Body.transformToString());`,
          {
            AWS_ACCESS_KEY_ID: key.access_key,
            AWS_SECRET_ACCESS_KEY: key.secret_key,
            NODE_EXTRA_CA_CERTS: file('s3.pem', ca_certificate),
          },
        );
      };
      expect(new URL(made.address)).toMatchObject({ protocol: 'https:', port: '9000' });
      expect(new URL(made.address).hostname).toMatch(RANGE);
      expect(await stored(made.address)).toBe('meow');
      await expect(stored(made.address.replace('https:', 'http:'))).rejects.toThrow();

      await call('DELETE', `${STORAGES}/${made.id}`);
      expect(cable.addresses()).not.toContain(`${new URL(made.address).hostname}/32`);
      // Its former address is another storage's now.
      const other = (await call('POST', STORAGES, { location_name: 'out-1', name: 'other' })).body;
      await call('POST', `${STORAGES}/${made.id}/restore`);
      const { address } = (await call('GET', `${STORAGES}/${made.id}`)).body;
      expect(address).not.toBe(other.address);
      expect(await stored(address)).toBe('meow');
    });

    test('SFTP is reached, and its address waits while its client is suspended', async () => {
      const made = (
        await call('POST', '/storage/v4/sftp_storages', {
          location_name: 'out-1',
          name: 'drop',
          password_mode: 'auto',
        })
      ).body;
      const { hostname } = new URL(made.address);
      expect(hostname).toMatch(RANGE);
      const sent = () =>
        cable.script(
          `import { Client } from 'ssh2';
        const client = new Client();
        await new Promise((resolve, reject) => client.on('error', reject).once('ready', resolve).connect(
          { host: '${hostname}', port: 2022, username: '${made.full_name}', password: process.env.ITS_PASSWORD }));
        const sftp = await new Promise((resolve) => client.sftp((_, it) => resolve(it)));
        await new Promise((resolve, reject) => sftp.writeFile('/hello', 'you', (error) => error ? reject(error) : resolve()));
        process.stdout.write(String(await new Promise((resolve) => sftp.readFile('/hello', (_, it) => resolve(it)))));
        client.end();`,
          { ITS_PASSWORD: made.password },
        );
      expect(await sent()).toBe('you');
      await pauseDataPlanes(server, true);
      await waitUntil(() => !cable.addresses().includes(`${hostname}/32`), { what: 'its address to go' });
      await pauseDataPlanes(server, false);
      await waitUntil(() => cable.addresses().includes(`${hostname}/32`), { what: 'its address to come' });
      await waitUntil(() => sent(), { what: 'it to serve again' });
      await call('DELETE', `/storage/v4/sftp_storages/${made.id}`);
      expect(cable.addresses()).not.toContain(`${hostname}/32`);
    });

    test('without the setting they stay on loopback, and S3 without TLS', async () => {
      const made = (await call('POST', STORAGES, { location_name: 'out-2', name: 'inner' })).body;
      expect(made.address).toMatch(/^http:\/\/127\./);
      const refused = await server.call('GET', `/virga/v1/object_storages/${made.id}/ca_certificate`);
      expect(refused.status).toBe(409);
      expect(refused.body.message).toContain('its address is not one of TLS');
    });
  },
);
