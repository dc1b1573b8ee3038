import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DesiredL7Rule, DesiredLoadBalancer } from '../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { makeDirectoryForEngine } from '../host/files.ts';
import { findProgram } from '../host/programs.ts';
import { render } from './config/render.ts';
import type { RenderEnvironment } from './config/rendering.ts';
import { checkConfiguration, objection } from './haproxy.ts';
import { accessLog, listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'virga-injection-'));
  makeDirectoryForEngine(directory, directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const environment = (): RenderEnvironment => ({
  chroot: null,
  socketPath: join(directory, 'socket'),
  serverStatePath: join(directory, 'server-state'),
  certificateDirectory: directory,
  cpuCount: 1,
  connectionCeiling: 1_000,
});

/** Everything that a user can write in words, in one load balancer. */
interface Words {
  readonly user: string;
  readonly hash: string;
  readonly url: string;
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
  readonly cookie: string;
  readonly path: string;
  readonly domain: string;
  readonly codes: string;
  readonly method: string;
  readonly cidr: string;
  readonly granularity: string;
  readonly address: string;
}

const HARMLESS: Words = {
  user: 'user',
  hash: '$5$salt$hash',
  url: 'http://example.test/',
  prefix: 'http://example.test',
  key: 'X-Key',
  value: 'value',
  cookie: 'name',
  path: '/path',
  domain: 'example.test',
  codes: '200',
  method: 'GET',
  cidr: '10.0.0.0/8',
  granularity: '255.255.255.0',
  address: '10.0.0.1',
};
const TYPES = ['COOKIE', 'FILE_TYPE', 'HEADER', 'HOST_NAME', 'PATH', 'SSL_DN_FIELD'] as const;
const COMPARISONS = ['CONTAINS', 'ENDS_WITH', 'EQUAL_TO', 'REGEX', 'STARTS_WITH'] as const;
const ACTIONS = ['REDIRECT_TO_URL', 'REDIRECT_PREFIX', 'REDIRECT_TO_POOL', 'REJECT'] as const;

function build(words: Words): DesiredLoadBalancer {
  const rules: DesiredL7Rule[] = TYPES.flatMap((type) =>
    COMPARISONS.map((compareType) => ({
      id: `${type}-${compareType}`,
      type,
      compareType,
      key: type === 'SSL_DN_FIELD' ? 'CN' : words.key,
      value: words.value,
      invert: compareType === 'REGEX',
    })),
  );
  const persistence = {
    cookieName: words.cookie,
    persistenceTimeout: 60,
    persistenceGranularity: words.granularity,
  };
  const healthMonitor = monitor({
    id: 'monitor',
    type: 'HTTPS',
    httpMethod: words.method,
    httpVersion: '1.1',
    urlPath: words.path,
    domainName: words.domain,
    expectedCodes: words.codes,
  });
  const members = [member(80, { id: 'member', address: words.address })];
  const pools = (['HTTP_COOKIE', 'APP_COOKIE', 'SOURCE_IP'] as const).map((type) =>
    pool({ id: type, members, healthMonitor, sessionPersistence: { type, ...persistence } }),
  );
  const policies = ACTIONS.map((action) => ({
    id: action,
    action,
    redirectUrl: words.url,
    redirectPrefix: words.prefix,
    redirectPoolId: 'APP_COOKIE',
    redirectHttpCode: 302,
    rules: rules.map((rule) => ({ ...rule, id: `${action}-${rule.id}` })),
  }));
  const front = listener({
    id: 'listener',
    defaultPoolId: 'HTTP_COOKIE',
    allowedCidrs: [words.cidr],
    basicAuth: [{ username: words.user, encryptedPassword: words.hash }],
    l7Policies: policies,
  });
  return loadBalancer({
    id: 'lb',
    listeners: [front],
    pools,
    accessLog: accessLog({ topic: words.value, loadBalancerName: words.value }),
  });
}

/** The first word of each line: what HAProxy has to do, without to what. */
function directives(config: string): string[] {
  return config.split('\n').map((line) => line.trim().split(' ')[0] ?? '');
}

const snippet = fc.constantFrom(
  '\n',
  '\r\n',
  "'",
  '"',
  '\\',
  ' ',
  '#',
  '$HOME',
  ['"$', '{HOME}"'].join(''),
  '%[env(HOME)]',
  '%',
  '{',
  '}',
  ' if TRUE',
  '--',
  '-f /etc/passwd',
  '\n  stats enable',
  "'\nbackend evil",
  '||',
  '(',
  ')',
  '[',
  ',',
  'é',
  '\u2028',
  '\ud800',
  '\0',
  'a',
  '/',
  '.*',
);
const word = fc.oneof(
  fc.array(snippet, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
/** One field at a time is enough, since each has a check of its own; two show what they do together. */
const attack = fc
  .dictionary(fc.constantFrom(...(Object.keys(HARMLESS) as (keyof Words)[])), word, {
    minKeys: 1,
    maxKeys: 2,
  })
  .map((change) => ({ ...HARMLESS, ...change }));

test('whatever a user writes, the configuration says what it says for harmless words, or is refused', () => {
  const expected = directives(render(build(HARMLESS), environment()).config);
  fc.assert(
    fc.property(attack, (words) => {
      let config: string;
      try {
        config = render(build(words), environment()).config;
      } catch (error) {
        expect(error).toBeInstanceOf(TaskFailed);
        return;
      }
      // A check of an IPv6 network may vanish from an IPv4 listener; nothing may appear.
      const lines = directives(config);
      expect(expected).toEqual(expect.arrayContaining(lines));
      expect(lines.length).toBeLessThanOrEqual(expected.length);
    }),
    { numRuns: 2_000 },
  );
});

test('what is not refused in words is a configuration that HAProxy accepts, but for regular expressions', async () => {
  const program = findProgram('haproxy') ?? '';
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(join(directory, 'server-state'), '1\n');
  const check = async (words: Words) => {
    const { config, origins } = render(build(words), environment());
    writeFileSync(file, config);
    await checkConfiguration(program, file, directory).catch((error: Error) => {
      throw new TaskFailed(objection(error.message, origins));
    });
  };
  await check(HARMLESS);
  await fc.assert(
    fc.asyncProperty(attack, async (words) => {
      try {
        await check(words);
      } catch (error) {
        expect(error).toBeInstanceOf(TaskFailed);
        // The reason is about the user's object, never about a line of a file that nobody sees.
        expect(String(error)).not.toContain('haproxy.cfg');
        if (!words.value.match(/[()[\]*+?{}\\|]/))
          expect(String(error)).not.toContain('not accepted by HAProxy');
      }
    }),
    { numRuns: 60 },
  );
});
