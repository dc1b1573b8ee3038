import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DesiredL7Rule } from '../../../features/load-balancers/port.ts';
import { listener, loadBalancer, member, pool } from './test-support/desired.ts';
import { startProvider, type TestProvider } from './test-support/provider.ts';

/** Path rules of L7 policies see through other spellings of a path. */

let site: TestProvider;
const origin = http.createServer((request, response) => response.end(request.url));
let port: number;

beforeAll(async () => {
  site = startProvider();
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  port = (origin.address() as AddressInfo).port;
});
afterAll(() => {
  origin.close();
  return site.close();
});

const rule = (change: Partial<DesiredL7Rule>): DesiredL7Rule => ({
  id: '11111111-1111-4111-8111-111111111111',
  type: 'PATH',
  compareType: 'STARTS_WITH',
  value: '/old',
  key: null,
  invert: false,
  ...change,
});

async function rejecting(rules: readonly DesiredL7Rule[], normalizePath = true): Promise<string> {
  const backend = pool({ members: [member(port)] });
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const policy = {
    id: '22222222-2222-4222-8222-222222222222',
    action: 'REJECT' as const,
    rules,
    redirectHttpCode: null,
    redirectPoolId: null,
    redirectPrefix: null,
    redirectUrl: null,
  };
  const front = listener({ defaultPoolId: backend.id, normalizePath, l7Policies: [policy] });
  await site.apply(loadBalancer({ vipAddress, listeners: [front], pools: [backend] }));
  return vipAddress;
}

/** The status and the body of a request for exactly this target. */
const ask = (address: string, target: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = net.connect(8080, address);
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', reject).on('close', () => {
      resolve(`${text.split(' ')[1]} ${text.split('\r\n\r\n')[1]?.split('\r\n').join('') ?? ''}`);
    });
    socket.end(`GET ${target} HTTP/1.0\r\nHost: test\r\n\r\n`);
  });

test('a path is refused however it is spelled, and others get to the member as they were sent', async () => {
  const address = await rejecting([rule({})]);
  const spellings = [
    '/old',
    '//old',
    '/%6fld',
    '/%6F%6c%64/x',
    '/./old',
    '/a/../old',
    '/%2e/old',
    '/a%2f..%2Fold',
  ];
  const climbing = ['/a/b/../../old', '/../old', '///.//a/.././/old', '/a/b/c/../../../../old?q=1'];
  for (const target of [...spellings, ...climbing])
    expect([target, (await ask(address, target)).slice(0, 3)]).toEqual([target, '403']);
  for (const target of ['/new//%6fld', '/a/./b?q=/old', '/older/../new', '/'])
    expect([target, await ask(address, target)]).toEqual([target, `200 ${target}`]);
});

test('what cannot be decoded, or climbs without end, is no way around a rule', async () => {
  const address = await rejecting([rule({})]);
  for (const target of ['/old%zz', '/%zz/../old', `${'/a'.repeat(40)}${'/..'.repeat(40)}/old`])
    expect([target, (await ask(address, target)).slice(0, 3)]).toEqual([
      target,
      expect.stringMatching(/^40[03]$/),
    ]);
});

test('rules about the kind of a file see it, too, and a value may be written as in a URL', async () => {
  const kind = rule({ type: 'FILE_TYPE', compareType: 'EQUAL_TO', value: 'php' });
  const php = await rejecting([kind]);
  expect((await ask(php, '/x.%70hp')).slice(0, 3)).toBe('403');
  const spaced = await rejecting([rule({ compareType: 'EQUAL_TO', value: '/a%20b' })]);
  expect((await ask(spaced, '/a%20b')).slice(0, 3)).toBe('403');
});

test('a listener from before compares what stands in the request', async () => {
  const address = await rejecting([rule({})], false);
  expect(await ask(address, '//old')).toBe('200 //old');
});

test('no spelling of dots, slashes and escapes that a URL resolves to a refused path passes', async () => {
  const address = await rejecting([rule({})]);
  const part = fc.constantFrom('/', '/.', '/..', '/a', '/old', '/%6fld', '/o%6cd', '/%2e%2e', '//', '/b/..');
  const targets = fc.sample(
    fc.array(part, { minLength: 1, maxLength: 5 }).map((all) => all.join('')),
    {
      numRuns: 150,
      seed: 3,
    },
  );
  let refused = 0;
  for (const target of targets) {
    const path = new URL(`http://test${target.replace(/\/+/g, '/')}`).pathname;
    if (!decodeURIComponent(path).replace(/\/+/g, '/').startsWith('/old')) continue;
    refused += 1;
    expect([target, (await ask(address, target)).slice(0, 3)]).toEqual([
      target,
      expect.stringMatching(/^40[03]$/),
    ]);
  }
  expect(refused).toBeGreaterThan(20);
});
