import { describe, expect, test } from 'vitest';
import { allows, ROLES } from '../../server/src/platform/auth/roles.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { type Caller, startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';
import { fingerprint, guarded, isStream, nameOf, OWN_IDS, pathOf, type Spec } from './operations.ts';

/** Every operation, with every role, with no token, a revoked and an expired one, and with another client's ids. */

const server = shared(() => startTestServer({ worker: false }));

const send = (spec: Spec, options: { as?: Caller; token?: string; headers?: Record<string, string> }) => {
  const body = spec.body === undefined ? {} : { body: {} };
  return server.call(spec.method, pathOf(spec, OWN_IDS), { ...body, ...options });
};

/** Calls every guarded operation and returns the names of those whose answer is not as it should be. */
async function offenders(check: (spec: Spec) => Promise<boolean>): Promise<string[]> {
  const wrong: string[] = [];
  for (const { spec } of guarded(server.app.routes)) if (!(await check(spec))) wrong.push(nameOf(spec));
  return wrong;
}

test('without a token every operation answers 401 with detail', async () => {
  const before = await fingerprint(server);
  const wrong = await offenders(async (spec) => {
    const body =
      spec.body === undefined ? {} : { payload: '{}', headers: { 'content-type': 'application/json' } };
    const reply = await server.api.inject({ method: spec.method, url: pathOf(spec, OWN_IDS), ...body });
    return reply.statusCode === 401 && typeof reply.json().detail === 'string';
  });
  expect(wrong).toEqual([]);
  expect(await fingerprint(server)).toBe(before);
});

describe.each(['revoked', 'expired'])('with a token that is %s', (kind) => {
  test('every operation answers 401', async () => {
    const token = await deadToken(kind);
    expect(await offenders(async (spec) => (await send(spec, { token })).status === 401)).toEqual([]);
  });
});

async function deadToken(kind: string): Promise<string> {
  const path = '/iam/v2/clients/1/tokens';
  const created = await server.call('POST', path, { body: { name: kind, exp_date: null, client_user: {} } });
  const { id, token } = created.body;
  if (kind === 'revoked') await server.call('DELETE', `${path}/${id}`);
  else {
    await server.db.run(sql`update api_tokens set expires_at = now() - interval '1 s' where id = ${id}`);
  }
  await waitUntil(async () => (await server.call('GET', '/cloud/v1/regions', { token })).status === 401, {
    what: `the ${kind} token to be refused`,
  });
  return token;
}

describe.each([...ROLES, 'operator'] as const)('as %s', (role) => {
  test('what the role does not allow answers 403 and changes nothing', async () => {
    const before = await fingerprint(server);
    const wrong = await offenders(async (spec) => {
      if (typeof spec.access === 'object' || allows(role, spec.access)) return true;
      const reply = await send(spec, { as: role });
      return reply.status === 403 && typeof reply.body.detail === 'string';
    });
    expect(wrong).toEqual([]);
    expect(await fingerprint(server)).toBe(before);
  });

  test('what the role allows is not refused for the role', async () => {
    const wrong = await offenders(async (spec) => {
      if (typeof spec.access === 'object' || !allows(role, spec.access)) return true;
      if (spec.method !== 'GET' || isStream(spec)) return true;
      const reply = await send(spec, { as: role });
      return reply.status !== 401 && reply.status !== 403;
    });
    expect(wrong).toEqual([]);
  });
});

test("another client's project, client and tasks are not found, for every operation that names one", async () => {
  const before = await fingerprint(server);
  const wrong = await offenders(async (spec) => {
    const named =
      /\{(project_id|clientId|client_id)\}/.test(spec.path) &&
      spec.access !== 'operate' &&
      spec.access !== 'report';
    if (!named) return true;
    const reply = await send(spec, { as: 'other client' });
    // A body and a query are judged before their place is looked up; with faulty ones the answer may be 400, never
    // a success.
    const judged = spec.body !== undefined || (spec.query?.required ?? []).length > 0;
    return reply.status === 404 || (judged && [400, 422].includes(reply.status));
  });
  expect(wrong).toEqual([]);
  expect(await fingerprint(server)).toBe(before);
});
