import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raw, sql } from '../../server/src/platform/database/sql.ts';
import { faultsOf } from '../harness/project.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** Inference secrets: type `aws-iam`, `data {aws_access_key_id, aws_secret_access_key}`, list `{count, results}`
 *  with `limit` at most 1000 and `offset` at least 0. */

let server: TestServer;
const logged: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  server = await startTestServer({ worker: false, log });
});

afterAll(() => server.close());

const PATH = '/cloud/v3/inference/1/secrets';
const VALUE = 'wJalrXUtnFEMI/K7MDENG/"quoted"\\ü🔑';
const data = { aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: VALUE };
const create = (name: string, more: object = {}) =>
  server.call('POST', PATH, { body: { name, type: 'aws-iam', data, ...more } });

const rowsAsText = async (table: 'inference_secrets' | 'audit_log' | 'tasks') => {
  const rows = await server.db.rows<{ row: string }>(sql`select t::text as row from ${raw(table)} t`);
  return rows.map(({ row }) => row).join('\n');
};

const audited = async (action: string, subject: string) => {
  const [row] = await server.db.rows<{ count: number }>(
    sql`select count(*) as count from audit_log where action = ${action} and subject = ${subject} and project_id = 1`,
  );
  return row?.count ?? 0;
};

describe('an inference secret', () => {
  test('is created, read as it was stored, replaced, and deleted', async () => {
    const secret = { name: 'life-cycle', type: 'aws-iam', data };
    expect(await create('life-cycle')).toMatchObject({ status: 200, body: secret });
    const url = `${PATH}/life-cycle`;
    expect((await server.call('GET', url)).body).toEqual(secret);
    const other = { aws_access_key_id: 'B', aws_secret_access_key: 'C' };
    const replaced = await server.call('PUT', url, { body: { type: 'aws-iam', data: other } });
    expect(replaced).toMatchObject({ status: 200, body: { ...secret, data: other } });
    expect((await server.call('GET', url)).body.data).toEqual(other);
    expect((await server.call('DELETE', url)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await server.call(method, url)).status).toBe(404);
    const body = { type: 'aws-iam', data };
    expect((await server.call('PUT', url, { body })).status).toBe(404);
  });

  test('answers with what the next read shows, whatever a body has beside it', async () => {
    const url = `${PATH}/beside`;
    const more = { ...data, beside: 'it' };
    expect((await create('beside', { data: more })).body.data).toEqual(data);
    const replaced = await server.call('PUT', url, { body: { type: 'aws-iam', data: more } });
    expect(replaced.body).toEqual((await server.call('GET', url)).body);
    expect(replaced.body.data).toEqual(data);
  });

  test('has a name that is used once', async () => {
    expect((await create('used')).status).toBe(200);
    const replies = await Promise.all([create('used'), create('used')]);
    expect(replies.map(({ status }) => status)).toEqual([409, 409]);
  });

  test.each([
    ['a name of 3 characters', { name: 'abc' }, 'name'],
    ['a name with capitals', { name: 'Secret' }, 'name'],
    ['a name that ends with a dash', { name: 'secret-' }, 'name'],
    ['a type other than aws-iam', { type: 'gcp' }, 'type'],
    ['a missing key id', { data: { aws_secret_access_key: 'x' } }, 'data.aws_access_key_id'],
    ['a missing key', { data: { aws_access_key_id: 'x' } }, 'data.aws_secret_access_key'],
  ])('is refused with %s, and the answer does not repeat the value', async (_what, more, field) => {
    const reply = await create('refused', more);
    expect(await faultsOf(reply)).toEqual([field]);
    expect(JSON.stringify(reply.body)).not.toContain(VALUE);
  });

  test('may have a name of 4 characters, and one with dots, and is read under it', async () => {
    for (const name of ['abcd', 'a.b-c.d9']) {
      expect((await create(name)).status).toBe(200);
      expect((await server.call('GET', `${PATH}/${name}`)).body.name).toBe(name);
    }
  });

  test('belongs to its project: another client finds nothing', async () => {
    await create('mine');
    expect((await server.call('GET', `${PATH}/mine`, { as: 'other client' })).status).toBe(404);
    expect((await server.call('GET', PATH, { as: 'other client' })).status).toBe(404);
  });

  test('is not for a role that only reads', async () => {
    expect((await server.call('GET', PATH, { as: 'Users' })).status).toBe(403);
    expect((await server.call('GET', PATH, { as: 'Engineers' })).status).toBe(200);
  });

  test('keeps its project from being deleted', async () => {
    const { body: project } = await server.call('POST', '/cloud/v1/projects', {
      body: { name: 'with secret' },
    });
    const path = `/cloud/v3/inference/${project.id}/secrets`;
    await server.call('POST', path, { body: { name: 'kept', type: 'aws-iam', data } });
    const refused = await server.call('DELETE', `/cloud/v1/projects/${project.id}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('1 inference secret') },
    });
  });
});

describe('the list', () => {
  test('pages through all in a stable order, with count over all pages', async () => {
    const { body: project } = await server.call('POST', '/cloud/v1/projects', { body: { name: 'paged' } });
    const path = `/cloud/v3/inference/${project.id}/secrets`;
    const names = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];
    for (const name of names) await server.call('POST', path, { body: { name, type: 'aws-iam', data } });
    const seen: string[] = [];
    for (let offset = 0; offset < names.length; offset += 2) {
      const { body } = await server.call('GET', `${path}?limit=2&offset=${offset}`);
      expect(body.count).toBe(5);
      seen.push(...body.results.map(({ name }: { name: string }) => name));
    }
    expect(seen).toEqual([...names].sort());
  });

  test.each(['limit=0', 'limit=1001', 'limit=-1', 'offset=-1'])('refuses %s', async (query) => {
    expect((await server.call('GET', `${PATH}?${query}`)).status).toBe(400);
  });

  test('accepts limit=1000', async () => {
    expect((await server.call('GET', `${PATH}?limit=1000`)).status).toBe(200);
  });
});

describe('a value', () => {
  test('is in no table, no log line, no audit entry and no task', async () => {
    await create('hidden');
    await server.call('GET', `${PATH}/hidden`);
    await server.call('PUT', `${PATH}/hidden`, { body: { type: 'aws-iam', data } });
    await server.call('POST', PATH, { body: { name: 'X', type: 'aws-iam', data } });
    const stored = await rowsAsText('inference_secrets');
    expect(stored).toContain('hidden');
    for (const text of [
      stored,
      await rowsAsText('audit_log'),
      await rowsAsText('tasks'),
      logged.join('\n'),
    ]) {
      expect(text).not.toContain('wJalrXUtnFEMI');
      expect(text).not.toContain('AKIAIOSFODNN7EXAMPLE');
      expect(text).not.toContain(Buffer.from(VALUE).toString('hex'));
    }
    expect(logged.length).toBeGreaterThan(0);
  });

  test('is encrypted differently each time', async () => {
    await create('same-1');
    await create('same-2');
    const rows = await server.db.rows<{ sealed: Buffer; key_id: string }>(
      sql`select sealed, key_id from inference_secrets where name like 'same-%'`,
    );
    expect(rows[0]?.sealed.equals(rows[1]?.sealed ?? Buffer.alloc(0))).toBe(false);
    expect(rows[0]?.key_id).toMatch(/^[0-9a-f]{16}$/);
  });

  test('does not open in another row', async () => {
    await create('origin');
    await create('target');
    await server.db.run(sql`update inference_secrets t set sealed = o.sealed from inference_secrets o
        where t.name = 'target' and o.name = 'origin'`);
    const reply = await server.call('GET', `${PATH}/target`);
    expect(reply.status).toBe(500);
    expect(JSON.stringify(reply.body)).not.toContain('AKIA');
    await server.call('DELETE', `${PATH}/target`);
  });

  test('is found by its name in the user actions', async () => {
    await create('sought');
    const { body } = await server.call('GET', '/cloud/v1/user_actions?search_field=sought');
    expect(body.results).toMatchObject([
      {
        action_type: 'create',
        api_group: 'inference_at_the_edge',
        resources: [{ resource_type: 'inference_secret', search_field: 'sought' }],
      },
    ]);
  });

  test('leaves an audit entry whenever it is read, and none when it is not', async () => {
    await create('watched');
    await server.call('GET', `${PATH}/watched`);
    await server.call('GET', `${PATH}/watched`);
    expect(await audited('read_inference_secret', 'watched')).toBe(2);
    const { body } = await server.call('GET', `${PATH}?limit=2`);
    const names = body.results.map(({ name }: { name: string }) => name).join(',');
    expect(await audited('list_inference_secrets', names)).toBe(1);
    expect((await server.call('GET', `${PATH}/nothing-here`)).status).toBe(404);
    expect(await audited('read_inference_secret', 'nothing-here')).toBe(0);
  });
});
