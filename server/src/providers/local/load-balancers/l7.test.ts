import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import type { DesiredL7Policy, DesiredL7Rule } from '../../../features/load-balancers/port.ts';
import { sharedBackend } from './test-support/backend.ts';
import { get } from './test-support/client.ts';
import { listener, loadBalancer, member, pool } from './test-support/desired.ts';
import { startProvider } from './test-support/provider.ts';

const front = sharedBackend('default');
const special = sharedBackend('special');
const site = shared(startProvider);

let next = 0;
const rule = (
  type: DesiredL7Rule['type'],
  compareType: DesiredL7Rule['compareType'],
  value: string,
  more = {},
) => {
  next += 1;
  return { id: `rule-${next}`, type, compareType, value, key: null, invert: false, ...more };
};
const policy = (rules: DesiredL7Rule[], change: Partial<DesiredL7Policy>): DesiredL7Policy => {
  next += 1;
  return {
    id: `policy-${next}`,
    action: 'REJECT',
    redirectUrl: null,
    redirectPrefix: null,
    redirectPoolId: null,
    redirectHttpCode: null,
    rules,
    ...change,
  };
};

const defaultPool = () => pool({ members: [member(front.port)] });
const specialPool = pool({ id: 'special' });

/** A load balancer with these policies; `special` is the pool that they may choose. */
async function serve(policies: DesiredL7Policy[]) {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const main = defaultPool();
  const pools = [main, { ...specialPool, members: [member(special.port)] }];
  const web = listener({ defaultPoolId: main.id, l7Policies: policies });
  await site.apply(loadBalancer({ vipAddress, listeners: [web], pools }));
  return (path: string, headers: Record<string, string> = {}) =>
    get(`http://${vipAddress}:8080${path}`, { headers });
}

const toSpecial = (...rules: DesiredL7Rule[]) =>
  policy(rules, { action: 'REDIRECT_TO_POOL', redirectPoolId: specialPool.id });

test('every comparison of a path, and its inversion', async () => {
  const cases = [
    ['STARTS_WITH', '/be', '/begin', '/a/be'],
    ['ENDS_WITH', 'end', '/the-end', '/end/'],
    ['CONTAINS', 'mid', '/a-mid-b', '/other'],
    ['EQUAL_TO', '/same', '/same', '/same/'],
    ['REGEX', '^/v[0-9]+/(a|b)$', '/v12/b', '/v12/c'],
  ] as const;
  for (const [comparison, value, yes, no] of cases) {
    const plain = await serve([toSpecial(rule('PATH', comparison, value))]);
    expect([comparison, (await plain(yes)).body, (await plain(no)).body]).toEqual([
      comparison,
      'special',
      'default',
    ]);
    const inverted = await serve([toSpecial(rule('PATH', comparison, value, { invert: true }))]);
    expect([comparison, (await inverted(yes)).body, (await inverted(no)).body]).toEqual([
      comparison,
      'default',
      'special',
    ]);
  }
});

test('hosts without their port and case, headers, cookies and file types', async () => {
  const host = await serve([toSpecial(rule('HOST_NAME', 'EQUAL_TO', 'Shop.test'))]);
  expect((await host('/', { host: 'sHOP.TEST:8080' })).body).toBe('special');
  expect((await host('/', { host: 'shop.test.other' })).body).toBe('default');
  const header = await serve([toSpecial(rule('HEADER', 'CONTAINS', 'b"e\'t\\a %#{', { key: 'X-Channel' }))]);
  expect((await header('/', { 'x-channel': 'is b"e\'t\\a %#{ on' })).body).toBe('special');
  expect((await header('/', { 'x-channel': 'alpha' })).body).toBe('default');
  const cookie = await serve([toSpecial(rule('COOKIE', 'EQUAL_TO', 'yes', { key: 'beta' }))]);
  expect((await cookie('/', { cookie: 'a=1; beta=yes' })).body).toBe('special');
  expect((await cookie('/', { cookie: 'beta=no' })).body).toBe('default');
  const fileType = await serve([toSpecial(rule('FILE_TYPE', 'EQUAL_TO', 'jpg'))]);
  expect((await fileType('/a.b/photo.x.jpg')).body).toBe('special');
  expect((await fileType('/photo.jpg/raw')).body).toBe('default');
  expect((await fileType('/jpg')).body).toBe('default');
  const pattern = await serve([toSpecial(rule('FILE_TYPE', 'REGEX', '^(png|gif)$'))]);
  expect((await pattern('/a.gif')).body).toBe('special');
  expect((await pattern('/a.gifx')).body).toBe('default');
});

test('rules about a client certificate do not match where there is none', async () => {
  const ask = await serve([
    toSpecial(rule('SSL_CONN_HAS_CERT', 'EQUAL_TO', 'True')),
    toSpecial(rule('SSL_DN_FIELD', 'EQUAL_TO', 'somebody', { key: 'CN' })),
    policy([rule('SSL_VERIFY_RESULT', 'EQUAL_TO', '20')], {}),
  ]);
  expect((await ask('/')).body).toBe('default');
});

test('all rules of a policy must match, the first policy that does decides, and one without rules never does', async () => {
  const ask = await serve([
    policy([], {}),
    toSpecial(rule('PATH', 'STARTS_WITH', '/shop'), rule('HEADER', 'EQUAL_TO', 'vip', { key: 'X-Kind' })),
    policy([rule('PATH', 'STARTS_WITH', '/shop')], {}),
  ]);
  expect((await ask('/shop', { 'x-kind': 'vip' })).body).toBe('special');
  expect((await ask('/shop')).status).toBe(403);
  expect((await ask('/other')).body).toBe('default');
});

test('redirects keep every letter of their target', async () => {
  const url = 'https://other.test/%20path?a=%[src]&b={x}\'"';
  const ask = await serve([
    policy([rule('PATH', 'EQUAL_TO', '/moved')], {
      action: 'REDIRECT_TO_URL',
      redirectUrl: url,
      redirectHttpCode: 308,
    }),
    policy([rule('PATH', 'STARTS_WITH', '/old')], {
      action: 'REDIRECT_PREFIX',
      redirectPrefix: 'https://new.test',
    }),
  ]);
  const moved = await ask('/moved');
  expect([moved.status, moved.headers.location]).toEqual([308, url]);
  const old = await ask('/old/page?q=1');
  expect([old.status, old.headers.location]).toEqual([302, 'https://new.test/old/page?q=1']);
});

test('an expression that would take for ever gives up, and everything else goes on', async () => {
  const ask = await serve([toSpecial(rule('PATH', 'REGEX', '^/(a+)+[.]$'))]);
  expect((await ask('/aaaa.')).body).toBe('special');
  // Without a limit each of these letters doubles the time: some years.
  expect((await ask(`/${'a'.repeat(60)}`)).body).toBe('default');
});
