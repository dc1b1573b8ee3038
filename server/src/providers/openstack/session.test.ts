import { expect, test } from 'vitest';
import { absent } from './faults.ts';
import { Session } from './session.ts';
import { EXAMPLE } from './testing/settings.ts';

type Answering = (url: string, init: RequestInit, turn: number) => Response | Promise<Response>;

/** What Keystone says of a credential. */
const credentialUntil = (expires_at: string | null) => () =>
  new Response(JSON.stringify({ application_credential: { id: 'id', expires_at } }));

/** A cloud of one function: what it answers to each call, in their order. */
function cloud(
  answer: Answering,
  credential: (url: string, init: RequestInit) => Response = credentialUntil(null),
) {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const requested: string[] = [];
  let tokens = 0;
  const fetched: typeof fetch = async (input, init = {}) => {
    const url = String(input);
    if (url.includes('/application_credentials/')) return credential(url, init);
    requested.push(`${init.method} ${url.replace('http://cloud', '')}`);
    if (!url.endsWith('/auth/tokens')) return answer(url, init, requested.length);
    tokens++;
    const token = {
      expires_at: new Date(now + 3_600_000).toISOString(),
      user: { id: 'user' },
      project: { id: 'project' },
      roles: [{ name: 'member' }],
      catalog: [
        {
          type: 'network',
          endpoints: [{ interface: 'public', region_id: 'one', url: 'http://cloud/network' }],
        },
      ],
    };
    const headers = { 'x-subject-token': `token ${tokens}` };
    return new Response(JSON.stringify({ token }), { status: 201, headers });
  };
  const session = new Session({
    settings: EXAMPLE,
    credential: () => ({ id: 'id', secret: 'secret' }),
    now: () => now,
    random: () => 1,
    fetch: fetched,
  });
  return { session, requested, pass: (ms: number) => (now += ms) };
}

const ok = () => new Response('{"ports": []}');
const get = (session: Session) => session.call('network', 'GET', '/ports');
const asError = (error: unknown) => (error instanceof Error ? error : undefined);
const tokenOf = ({ headers }: RequestInit) => new Headers(headers).get('x-auth-token');

test('calls share one token, and a new one is there before it ends', async () => {
  const { session, requested, pass } = cloud(ok);
  await Promise.all([get(session), get(session), get(session)]);
  pass(3_500_000);
  await get(session);
  expect(requested.filter((each) => each.includes('tokens'))).toHaveLength(2);
  expect(requested.filter((each) => each === 'GET /network/v2.0/ports')).toHaveLength(4);
});

test('a token that was revoked is renewed once; a credential that is refused stops all calls', async () => {
  const { session } = cloud((_url, init) =>
    tokenOf(init) === 'token 1' ? new Response('', { status: 401 }) : ok(),
  );
  await expect(get(session)).resolves.toEqual({ ports: [] });
  const refused = cloud(() => new Response('', { status: 401 }));
  await expect(get(refused.session)).rejects.toMatchObject({ kind: 'credentials' });
  expect(refused.session.fault).toContain('its credential is refused');
  const before = refused.requested.length;
  await expect(get(refused.session)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(refused.requested).toHaveLength(before);
});

test('what may be repeated is, and a creation is not', async () => {
  const flaky = cloud((_url, _init, turn) =>
    turn === 2 ? new Response('', { status: 503, headers: { 'retry-after': '0' } }) : ok(),
  );
  await expect(get(flaky.session)).resolves.toEqual({ ports: [] });
  const lost = cloud(() => new Response('', { status: 503 }));
  await expect(lost.session.call('network', 'POST', '/ports', {})).rejects.toMatchObject({ status: 503 });
  expect(lost.requested).toEqual([expect.stringContaining('tokens'), 'POST /network/v2.0/ports']);
});

test('at most eight calls are under way', async () => {
  let [running, most] = [0, 0];
  const { session } = cloud(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return ok();
  });
  await Promise.all(Array.from({ length: 40 }, () => get(session)));
  expect(most).toBe(8);
});

test('neither the secret nor the token is in what an error says', async () => {
  const { session } = cloud(() => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  });
  const error = await session.call('network', 'DELETE', '/ports/1').then(() => undefined, asError);
  expect(error?.message).toBe('cloud does not answer: connect ECONNREFUSED');
  expect(`${JSON.stringify(error)} ${error?.stack}`).not.toMatch(/secret|token 1/);
});

test('what the catalogue lacks is known once somebody has signed in', async () => {
  const { session } = cloud(ok);
  expect(session.lacks('compute')).toBe(false);
  await get(session);
  expect(session.lacks('network')).toBe(false);
  expect(session.lacks('compute')).toBe(true);
  await expect(session.call('compute', 'GET', '/servers')).rejects.toMatchObject({ kind: 'refused' });
});

test('when the credential ends is asked of the credential, since tokens do not say it', async () => {
  const asked: string[] = [];
  const { session } = cloud(ok, (url, init) => {
    asked.push(`${init.method} ${url.replace(EXAMPLE.auth_url, '')} with ${tokenOf(init)}`);
    return credentialUntil('2026-01-11T00:00:00.000000')();
  });
  await get(session);
  expect(asked).toEqual(['GET /users/user/application_credentials/id with token 1']);
  expect(session.credentialEndsAt).toBe(Date.parse('2026-01-11T00:00:00Z'));
  expect((await session.identity()).credentialEndsAt).toBe('2026-01-11T00:00:00.000000');
});

test('when a credential ends stays known while it cannot be read', async () => {
  let status = 200;
  const { session, pass } = cloud(ok, () =>
    status === 200 ? credentialUntil('2026-01-11T00:00:00.000000')() : new Response('', { status }),
  );
  await get(session);
  status = 503;
  pass(3_500_000);
  await get(session);
  expect(session.credentialEndsAt).toBe(Date.parse('2026-01-11T00:00:00Z'));
});

test('a credential that may not be read serves all the same', async () => {
  const { session } = cloud(ok, () => new Response('', { status: 403 }));
  await expect(get(session)).resolves.toEqual({ ports: [] });
  expect(session.credentialEndsAt).toBeNull();
  expect((await session.identity()).credentialEndsAt).toBeUndefined();
});

test.each<[string, string, number, string]>([
  ['a credential that was deleted', 'Could not find Application Credential: id.', 404, 'credentials'],
  ['an address that is no Keystone', 'The resource could not be found.', 404, 'unavailable'],
])('%s says of nothing in the cloud that it is not there', async (_what, message, status, kind) => {
  const session = new Session({
    settings: EXAMPLE,
    credential: () => ({ id: 'id', secret: 'secret' }),
    now: () => 0,
    fetch: async () => Response.json({ error: { message } }, { status }),
  });
  const call = absent(session.call('network', 'GET', '/ports/one'));
  await expect(call).rejects.toMatchObject({ kind, message });
});
