import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sharedBackend } from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { get } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { finished } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import type { Reply } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Whatever words are typed through the API: either they are refused with the field named, or HAProxy accepts them
 *  and everything else goes on as before. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const POLICIES = '/cloud/v1/l7policies/1/1';
const PORT = 8080;
const RUNS = { numRuns: Number(process.env.VIRGA_TEST_RUNS ?? 30), seed: 20260131 };

const server = shared(startLocalServer);
const backend = sharedBackend('default');

const snippet = fc.constantFrom(
  ...['\n', '\r\n', "'", '"', '\\', ' ', '#', '$HOME', '%[env(HOME)]', '%', '{', '}', ' if TRUE', '--', '|'],
  ...[
    "'\nbackend evil\n",
    '\n  stats enable\n',
    '(',
    ')',
    '[',
    ']',
    ',',
    ';',
    'é',
    '\u2028',
    'a',
    '/',
    '.*',
    'X',
  ],
);
const word = fc.oneof(
  { weight: 3, arbitrary: fc.array(snippet, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z][a-z0-9._-]{2,20}$/) },
);

/** The task's kinds of created resources, or undefined when the call was refused, as it may be.
 *  @param fields that may be refused */
async function acceptedBy(reply: Reply) {
  if (reply.status === 400) {
    expect(Object.keys(reply.body.invalid_fields ?? {}).length, JSON.stringify(reply.body)).toBeGreaterThan(
      0,
    );
    return undefined;
  }
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const task = await server.ended(reply);
  expect(task.error, 'what the API accepts, HAProxy accepts').toBeNull();
  return task.created_resources;
}

const body = (words: Readonly<Record<string, string>> = {}) => ({
  name: 'words',
  listeners: [
    {
      name: 'http',
      protocol: 'HTTP',
      protocol_port: PORT,
      user_list:
        words.user || words.hash
          ? [{ username: words.user ?? 'user', encrypted_password: words.hash ?? '$5$salt$hash' }]
          : [],
      pools: [
        {
          name: words.pool ?? 'pool',
          protocol: 'HTTP',
          lb_algorithm: 'ROUND_ROBIN',
          members: [{ address: '127.0.0.1', protocol_port: backend.port }],
          session_persistence: words.cookie ? { type: 'APP_COOKIE', cookie_name: words.cookie } : null,
          healthmonitor: {
            type: 'HTTP',
            delay: 60,
            timeout: 1,
            max_retries: 1,
            http_version: '1.1',
            url_path: words.path ?? '/',
            domain_name: words.domain ?? 'a.test',
            expected_codes: words.codes ?? '200',
          },
        },
      ],
    },
  ],
});

test('names, users, cookies, paths, hosts and codes', async () => {
  const fields = fc.constantFrom('user', 'hash', 'pool', 'cookie', 'path', 'domain', 'codes');
  const text = fc.oneof(
    word,
    word.map((rest) => `/${rest}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fields, text, { minKeys: 1, maxKeys: 1 }), async (words) => {
      const created = await acceptedBy(await server.call('POST', LBS, { body: body(words) }));
      const [id] = created?.loadbalancers ?? [];
      if (id !== undefined) await server.ended(await server.call('DELETE', `${LBS}/${id}`));
    }),
    {
      ...RUNS,
      examples: [[{ path: '/\n' }], [{ path: '/ HTTP/1.1' }], [{ hash: "'" }], [{ cookie: 'a b' }]],
    },
  );
});

test('targets, keys, values and regular expressions of L7 policies', async () => {
  const lb = await acceptedBy(await server.call('POST', LBS, { body: body() }));
  const { vip_address } = (await server.call('GET', `${LBS}/${lb?.loadbalancers?.[0]}`)).body;
  const target = fc.oneof(
    fc.tuple(
      fc.constant('REDIRECT_TO_URL'),
      word.map((rest) => ({ redirect_url: `https://a.test/${rest}` })),
    ),
    fc.tuple(
      fc.constant('REDIRECT_PREFIX'),
      word.map((rest) => ({ redirect_prefix: `http://a.test${rest}` })),
    ),
  );
  const rules = fc.record({
    type: fc.constantFrom('COOKIE', 'FILE_TYPE', 'HEADER', 'HOST_NAME', 'PATH'),
    compare_type: fc.constantFrom('CONTAINS', 'ENDS_WITH', 'EQUAL_TO', 'REGEX', 'STARTS_WITH'),
    key: fc.oneof(word, fc.constant('X-Key')),
    value: word,
  });
  await fc.assert(
    fc.asyncProperty(target, rules, async ([action, to], { key, ...rule }) => {
      const fields = { listener_id: lb?.listeners?.[0], action, ...to };
      const made = await acceptedBy(await server.call('POST', POLICIES, { body: fields }));
      const [id] = made?.l7polices ?? [];
      if (id === undefined) return;
      const keyed = rule.type === 'HEADER' || rule.type === 'COOKIE' ? { ...rule, key } : rule;
      const path = `${POLICIES}/${id}/rules`;
      // Nothing asks for this host: what counts is whether HAProxy accepts the words.
      await acceptedBy(
        await server.call('POST', path, {
          body: { type: 'HOST_NAME', compare_type: 'EQUAL_TO', value: 'never.test' },
        }),
      );
      const [own] = (await acceptedBy(await server.call('POST', path, { body: keyed })))?.l7rules ?? [];
      if (own !== undefined) expect((await server.call('GET', `${path}/${own}`)).body).toMatchObject(keyed);
      expect((await server.call('GET', `${POLICIES}/${id}`)).body).toMatchObject(fields);
      expect((await get(`http://${vip_address}:${PORT}/`)).body).toBe('default');
      await finished(server, server.call('DELETE', `${POLICIES}/${id}`));
    }),
    RUNS,
  );
});
