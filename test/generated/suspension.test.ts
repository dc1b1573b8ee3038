import { expect, test } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';
import { fingerprint, guarded, nameOf, pathOf, type Spec } from './operations.ts';

/** Every operation, called by a client that is suspended: with a token, in a session, and by who wants to sign in. */

const server = shared(() => startTestServer({ worker: false }));
const REASON = 'Invoice 7 is not paid';
const DETAIL = `This account is suspended: ${REASON}`;
const IDS = { project_id: 2, region_id: 2, clientId: 2, client_id: 2 };
const EMAIL = 'mia@example.test';

test('is refused everywhere with the reason, changes nothing, and goes on when it is resumed', async () => {
  const { login, signIn, refresh, bearer } = people(server);
  const operate = (path: string, body: unknown = {}) =>
    server.call('POST', `/virga/v1/clients/2/${path}`, { as: 'operator', body });
  const user = { email: EMAIL, user_role: { name: 'Administrators' }, password: PASSWORD };
  await operate('users', user);
  const pair = await signIn(EMAIL);
  await operate('suspend', { reason: REASON, data_planes: 'running' });
  await waitUntil(
    async () => (await server.call('GET', '/cloud/v1/regions', { as: 'other client' })).status === 403,
    { what: 'the token of the suspended client to be refused' },
  );

  const before = await fingerprint(server);
  const calls: Readonly<Record<'token' | 'session', (spec: Spec) => ReturnType<typeof server.call>>> = {
    token: (spec) =>
      server.call(spec.method, pathOf(spec, IDS), {
        as: 'other client',
        ...(spec.body === undefined ? {} : { body: {} }),
      }),
    session: (spec) =>
      bearer(spec.method, pathOf(spec, IDS), pair.access, spec.body === undefined ? undefined : {}),
  };
  const wrong: string[] = [];
  for (const { spec } of guarded(server.app.routes)) {
    // It is the same look for both: of what is a person's own the session is tried, too.
    const kinds = spec.access === 'self' ? (['token', 'session'] as const) : (['token'] as const);
    for (const kind of kinds) {
      const { status, body } = await calls[kind](spec);
      const isRefused = status === 403 && body.detail === DETAIL && body.code === 'account_suspended';
      if (!isRefused) wrong.push(`${kind}: ${nameOf(spec)} ${status}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(await fingerprint(server)).toBe(before);

  expect(await login(EMAIL)).toMatchObject({ status: 403, body: { message: DETAIL } });
  expect(await login(EMAIL, 'wrong horse battery')).toMatchObject({ status: 400 });
  expect(await refresh(pair.refresh)).toMatchObject({ status: 403, body: { message: DETAIL } });
  // Somebody of two clients goes on in the other one.
  await server.db.run(
    sql`insert into client_users (client_id, user_id, role) select 1, id, 'Users' from users where email = ${EMAIL}`,
  );
  const elsewhere = await signIn(EMAIL);
  expect((await bearer('GET', '/iam/clients/me', elsewhere.access)).body).toMatchObject({ id: 1 });
  const there = await bearer('GET', '/iam/auth/jwt/clients/2/login', elsewhere.access);
  expect(there).toMatchObject({ status: 403, body: { message: DETAIL } });

  await operate('resume');
  expect((await bearer('GET', '/iam/clients/me', pair.access)).body).toMatchObject({ id: 2 });
});
