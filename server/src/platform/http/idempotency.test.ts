import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { proxyTo } from '../../../../test/harness/tcp-proxy.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../database/sql.ts';
import { DAILY_KEYS, forgetOldKeys } from './idempotency.ts';

const server = shared(() => startTestServer({ worker: false }));

const create = (
  key: string,
  name: string,
  as: 'Administrators' | 'other client' = 'Administrators',
  on: TestServer = server,
) => on.call('POST', '/cloud/v1/projects', { as, body: { name }, headers: { 'idempotency-key': key } });

/** Lets a request that creates a project begin and come to a stop in its transaction.
 *  @param how.meanwhile what happens there, before it may go on */
async function inTheMiddle<T>(
  key: string,
  {
    db,
    send,
    meanwhile,
  }: { db: TestServer['db']; send: () => Promise<T>; meanwhile: () => Promise<unknown> },
) {
  const [database] = await db.rows<{ name: string }>(sql`select current_database() as name`);
  const { host, port, user, password } = inject('testServer');
  const beside = new pg.Client({ host, port, user, password, database: database?.name ?? '' });
  await beside.connect();
  try {
    await beside.query('begin; select from clients where id = 1 for update');
    const pending = send();
    const hasBegun = async () =>
      (await beside.query('select from idempotency_keys where key = $1', [key])).rows.length === 1;
    await waitUntil(hasBegun, { what: 'the request to begin' });
    await meanwhile();
    await beside.query('commit');
    return await pending;
  } finally {
    await beside.end();
  }
}

const countOf = async (name: string) =>
  (await server.call('GET', `/cloud/v1/projects?name=${encodeURIComponent(name)}`)).body.count;

describe('Idempotency-Key', () => {
  test('the same key and body give the same answer, and the work is done once', async () => {
    const first = await create('a', 'only once');
    const second = await create('a', 'only once');
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(await countOf('only once')).toBe(1);
  });

  test('the same key with another body is 422', async () => {
    await create('b', 'first body');
    expect((await create('b', 'other body')).status).toBe(422);
    expect(await countOf('other body')).toBe(0);
  });

  test('many at once: one is done, the others wait for their turn or get its answer', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create('c', 'crowded')));
    const statuses = new Set(replies.map((reply) => reply.status));
    expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
    for (const reply of replies.filter(({ status }) => status === 409)) {
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await countOf('crowded')).toBe(1);
  });

  test('a deletion gives the same answer when what it named is gone', async () => {
    const working = await startTestServer();
    onTestFinished(() => working.close());
    const { body } = await working.call('POST', '/cloud/v1/projects', { body: { name: 'soon gone' } });
    const where = `/cloud/v1/projects/${body.id}`;
    const remove = () => working.call('DELETE', where, { headers: { 'idempotency-key': 'e' } });
    const first = await remove();
    await waitUntil(async () => (await working.call('GET', where)).status === 404, { what: 'the deletion' });
    const second = await remove();
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers['idempotency-replayed']).toBe('true');
  });

  test('a refused request did nothing, and its key is free again', async () => {
    expect((await create('d', '-')).status).toBe(400);
    expect((await create('d', 'better name')).status).toBe(201);
  });

  test('keys belong to a client', async () => {
    await create('e', 'mine');
    const theirs = await create('e', 'theirs', 'other client');
    expect(theirs.status).toBe(201);
  });

  test('after a day a key is new', async () => {
    await create('f', 'yesterday');
    await server.db.run(sql`update idempotency_keys set started_at = now() - interval '25 hours'`);
    expect((await create('f', 'today')).status).toBe(201);
  });

  test('a key that cannot be one is 400', async () => {
    expect((await create('x'.repeat(256), 'long key')).status).toBe(400);
  });

  test('a token is given once: its value is not kept to be given again', async () => {
    const path = '/iam/v2/clients/1/tokens';
    const body = { name: 'secret', exp_date: null, client_user: {} };
    const headers = { 'idempotency-key': 'g' };
    const first = await server.call('POST', path, { body, headers });
    expect((await server.call('POST', path, { body, headers })).status).toBe(409);
    const rows = await server.db.rows<{ row: string }>(sql`select k::text as row from idempotency_keys k`);
    expect(rows.some(({ row }) => row.includes(first.body.token))).toBe(false);
  });

  test('a server that died between commit and answer still gives the answer of a task', async () => {
    const lb = { name: 'once' };
    const headers = { 'idempotency-key': 'h' };
    const path = '/cloud/v1/loadbalancers/1/2';
    const first = await server.call('POST', path, { body: lb, headers });
    // What the commit itself kept, before the answer was noted.
    const [row] = await server.db.rows<{ key_id: string; sealed: Buffer; applied: boolean }>(
      sql`select key_id, sealed, applied from idempotency_keys where key = 'h'`,
    );
    expect(row?.applied).toBe(true);
    const answer = { keyId: row?.key_id ?? '', box: row?.sealed ?? Buffer.alloc(0) };
    expect(server.cipher.open(answer, 'idempotency key h')).toBe(JSON.stringify(first.body));
    expect((await server.call('POST', path, { body: lb, headers })).body).toEqual(first.body);
  });

  test('a request that took too long can no longer commit', async () => {
    const late = await inTheMiddle('i', {
      db: server.db,
      send: () => create('i', 'too late'),
      meanwhile: () =>
        server.db.rows(sql`update idempotency_keys set attempt = gen_random_uuid() where key = 'i'`),
    });
    expect(late.status).toBe(409);
    expect(await countOf('too late')).toBe(0);
  });

  test('a write that is lost with the database can be sent again as soon as the database answers', async () => {
    const proxy = await proxyTo(inject('testServer'));
    onTestFinished(() => proxy.close());
    const start = systemClock().timestamp();
    const behind = await startTestServer({
      worker: false,
      through: { host: '127.0.0.1', port: proxy.port },
      // That time passes helps nobody.
      clock: { now: () => new Date(start), timestamp: () => start },
    });
    onTestFinished(() => behind.close());
    const send = () => create('lost', 'came back', 'Administrators', behind);
    const lost = await inTheMiddle('lost', { db: behind.db, send, meanwhile: async () => proxy.shut() });
    expect(lost.status).toBe(503);
    proxy.open();
    const answers: string[] = [];
    await waitUntil(
      async () => {
        const { status, headers } = await send();
        answers.push(`${status} ${headers['idempotency-replayed'] ?? 'new'}`);
        return status === 201;
      },
      { what: () => `the key to be free: ${answers}` },
    );
    expect(answers.at(-1)).toBe('201 new');
    expect((await behind.call('GET', '/cloud/v1/projects?name=came%20back')).body.count).toBe(1);
  });

  test('a write whose process has been silent for ten seconds can be sent again, and not before', async () => {
    const session = randomUUID();
    await server.db.run(
      sql`insert into nodes (session, name, role, version) values (${session}, 'other', 'api', '0')`,
    );
    const begin = () => create('n', 'of another');
    expect((await begin()).status).toBe(201);
    await server.db.run(sql`with made as (update projects set name = 'made before' where name = 'of another')
       update idempotency_keys set session = ${session}, applied = false, status = null, sealed = null where key = 'n'`);
    expect([(await begin()).status, (await begin()).body.message]).toEqual([
      409,
      'The first request with this Idempotency-Key is still running',
    ]);
    await server.db.run(
      sql`update nodes set seen_at = now() - interval '11 seconds' where session = ${session}`,
    );
    expect((await begin()).status).toBe(201);
  });

  test('the answer is for whoever made the request: another token of the client does not get it', async () => {
    const path = '/iam/users/1';
    const body = { lang: 'en' };
    const headers = { 'idempotency-key': 'j' };
    expect((await server.call('PATCH', path, { body, headers })).status).toBe(200);
    expect((await server.call('PATCH', path, { body, headers, as: 'Users' })).status).toBe(422);
    const again = await server.call('PATCH', path, { body, headers });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('the answer is refused when the caller has a lesser role by now', async () => {
    const path = '/iam/users/1';
    const call = () =>
      server.call('PATCH', path, { body: { lang: 'de' }, headers: { 'idempotency-key': 'k' } });
    expect((await call()).status).toBe(200);
    await server.db.run(sql`update idempotency_keys set role = 'operator' where key = 'k'`);
    expect((await call()).status, 'an operator is more than an administrator').toBe(403);
    await server.db.run(sql`update idempotency_keys set role = 'Engineers' where key = 'k'`);
    expect((await call()).headers['idempotency-replayed'], 'more than then is fine').toBe('true');
  });

  test('neither answers nor requests can be read from the database', async () => {
    await create('l', 'a name that is no secret');
    const [row] = await server.db.rows<{ text: string; request: Buffer }>(
      sql`select coalesce(encode(sealed, 'escape'), '') as text, request from idempotency_keys k where key = 'l'`,
    );
    expect(row?.text).not.toBe('');
    expect(row?.text).not.toContain('no secret');
    const body = { name: 'a name that is no secret' };
    const guess = JSON.stringify(['POST', '/cloud/v1/projects', body]);
    expect(row?.request).not.toEqual(createHash('sha256').update(guess).digest());
  });

  test('an answer whose master key is gone is not given, and the work is not done again', async () => {
    await create('m', 'key is gone');
    await server.db.run(sql`update idempotency_keys set key_id = 'gone' where key = 'm'`);
    expect((await create('m', 'key is gone')).status).toBe(409);
    expect(await countOf('key is gone')).toBe(1);
  });
});

describe('what is kept', () => {
  test('an account makes so many requests with a key in a day, and others are not held up by it', async () => {
    await create('o', 'first of many');
    const digest = createHash('sha256').update('idempotency keys of client 1').digest();
    expect(
      await server.db.rows(
        sql`update rate_limits set points = ${DAILY_KEYS} where key = ${digest} returning 1`,
      ),
    ).toHaveLength(1);
    const refused = await create('p', 'one too many');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body.message).toContain('100000 requests with an Idempotency-Key');
    expect(await countOf('one too many')).toBe(0);
    expect((await create('p', 'of another account', 'other client')).status).toBe(201);
    await server.db.run(sql`delete from rate_limits where key = ${digest}`);
  });

  test('too many are forgotten, the oldest first, but none that still runs', async () => {
    await server.db.run(sql`delete from idempotency_keys`);
    for (const name of ['q1', 'q2', 'q3', 'q4']) await create(name, `number ${name}`);
    await server.db.run(sql`update idempotency_keys set status = null, applied = false where key = 'q1'`);
    await forgetOldKeys(server.db, { keys: 2, bytesOfClient: 1e9 }).run(new AbortController().signal);
    expect(await keys()).toEqual(['q1', 'q3', 'q4']);
  });

  test('answers beyond so many bytes are forgotten, and their requests are not done again', async () => {
    await server.db.run(sql`delete from idempotency_keys`);
    await create('r1', 'older');
    await create('r2', 'newer');
    const [row] = await server.db.rows<{ bytes: number }>(
      sql`select octet_length(sealed)::int as bytes from idempotency_keys where key = 'r2'`,
    );
    const keep = { keys: 100, bytesOfClient: row?.bytes ?? 0 };
    await forgetOldKeys(server.db, keep).run(new AbortController().signal);
    expect((await create('r2', 'newer')).headers['idempotency-replayed']).toBe('true');
    expect((await create('r1', 'older')).status).toBe(409);
    expect(await countOf('older')).toBe(1);
  });

  const keys = async () => {
    const rows = await server.db.rows<{ key: string }>(sql`select key from idempotency_keys order by key`);
    return rows.map(({ key }) => key);
  };
});
