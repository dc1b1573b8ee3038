import { expect, test } from 'vitest';
import { checkCloud } from './check.ts';
import { Session } from './session.ts';
import { EXAMPLE } from './testing/settings.ts';

/** What an operator is told whose entry is wrong, before anything else of the cloud is asked. */

const NOW = Date.parse('2026-01-01T00:00:00Z');

const tokenOf = (roles: readonly string[]) => () => {
  const token = {
    expires_at: new Date(NOW + 3_600_000).toISOString(),
    user: { id: 'user' },
    project: { id: 'project' },
    roles: roles.map((name) => ({ name })),
    catalog: ['two', 'one'].map((region_id) => ({
      type: 'network',
      endpoints: [{ interface: 'public', region_id, url: 'http://cloud/network' }],
    })),
  };
  return new Response(JSON.stringify({ token }), { status: 201, headers: { 'x-subject-token': 'token' } });
};

interface Case {
  /** What is at the address of Keystone. */
  readonly answer?: () => Response;
  readonly region_name?: string;
  readonly credential?: () => { readonly id: string; readonly secret: string };
}

async function failuresOf({ answer = tokenOf(['member']), region_name = 'one', credential }: Case) {
  const settings = Object.assign({}, EXAMPLE, { region_name });
  const session = new Session({
    settings,
    credential: credential ?? (() => ({ id: 'example', secret: 'very secret' })),
    now: () => NOW,
    fetch: async () => answer(),
  });
  const findings = await checkCloud(session, settings, NOW);
  return findings.filter(({ verdict }) => verdict === 'fails').map(({ what, says }) => `${what}: ${says}`);
}

const seal = 'seal one of this cloud, and write it into the entry';
const NOT_KEYSTONE = 'auth_url must be its address, with /v3';

test.each<[string, Case, string]>([
  [
    'a secret that is wrong',
    { answer: () => Response.json({ error: { message: 'requires authentication' } }, { status: 401 }) },
    `sign in: Keystone refuses credential example, which has another secret, has ended or is deleted: ${seal}`,
  ],
  [
    'a credential that is sealed under another key',
    {
      credential: () => {
        throw new Error('the master key x is not among those configured');
      },
    },
    `sign in: the sealed credential does not open: the master key x is not among those configured: ${seal}`,
  ],
  [
    'an address at which nothing is',
    {
      answer: () => {
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      },
    },
    'sign in: 127.0.0.1:1 does not answer: connect ECONNREFUSED: auth_url must be reached from here',
  ],
  [
    'an address at which something else is',
    { answer: () => new Response('<html></html>') },
    `sign in: http://127.0.0.1:1/v3 is no Keystone: the answer is not JSON; ${NOT_KEYSTONE}`,
  ],
  [
    'an address without its version',
    { answer: () => new Response('', { status: 404 }) },
    `sign in: http://127.0.0.1:1/v3 is no Keystone: the answer was 404; ${NOT_KEYSTONE}`,
  ],
  [
    'another region',
    { region_name: 'three' },
    'region: the catalogue of the cloud names no region three: it has one, two',
  ],
])('%s is named, and what to do', async (_what, wrong, says) => {
  expect(await failuresOf(wrong)).toEqual([says]);
});

test('roles that read alone are named, before a task fails for it', async () => {
  expect(await failuresOf({ answer: tokenOf(['reader', 'load-balancer_observer']) })).toEqual([
    expect.stringMatching(/^sign in: .* let it read alone: its user needs the role member$/),
  ]);
  const others = await failuresOf({ answer: tokenOf(['reader', 'member']) });
  expect(others.join()).not.toContain('sign in');
});
