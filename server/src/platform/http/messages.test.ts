import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE } from '../../../../test/harness/project.ts';
import { type CallOptions, startTestServer, type TestServer } from '../../../../test/harness/server.ts';

/** Messages say what is missing and what to do. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    worker: false,
    regions: [
      { id: 1, display_name: 'Local', slug: 'local', state: 'ACTIVE', provider: 'local', settings: {} },
      { id: 2, display_name: 'Paper', slug: 'paper', state: 'ACTIVE', provider: 'simulated', settings: {} },
    ],
    // The machine of the local region has no HAProxy.
    aroundProvider: ({ owner, ...provider }) => {
      if (owner && provider.loadBalancers)
        provider.loadBalancers.unavailable = async () => 'HAProxy is not installed: install the package.';
      return provider;
    },
  });
});
afterAll(() => server.close());

const said = async (method: string, path: string, options: CallOptions = {}) => {
  const { status, body } = await server.call(method, path, options);
  return `${status} ${body.message ?? body.detail}`;
};

test.each([
  [
    'POST',
    '/cloud/v1/ssh_keys/1',
    'Users',
    'needs the role Engineers or Administrators; this token has Users',
  ],
  [
    'GET',
    '/cloud/v1/projects',
    'operator',
    'needs the role Users, Engineers or Administrators; this is the operator token',
  ],
  ['GET', '/virga/v1/outbox', 'Administrators', 'needs the operator token'],
  ['GET', '/metrics', 'Users', 'needs the operator token'],
] as const)('%s %s as %s: %s', async (method, path, as, lack) => {
  expect(await said(method, path, { as, ...(method === 'POST' && { body: { name: 'abc' } }) })).toBe(
    `403 This call ${lack}`,
  );
});

test('the answer to an API token that comes in the wrong way names the right one; what is no token gets no advice', async () => {
  const hint = '. This is an API token: send it as `Authorization: APIKey …`';
  const send = (authorization: string) => said('GET', '/cloud/v1/regions', { headers: { authorization } });
  const { Users: token } = server.tokens;
  expect(await send(`Bearer ${token}`)).toBe(`401 Token is invalid or expired${hint}`);
  expect(await send(`Token ${token}`)).toBe(`401 Given token not valid for any token type${hint}`);
  expect(await send(token)).toBe(`401 Given token not valid for any token type${hint}`);
  expect(await send('Bearer nonsense')).toBe('401 Token is invalid or expired');
});

test('an unknown region is answered with those that there are', async () => {
  const there = '404 Region 9 was not found; there are 1 (Local), 2 (Paper)';
  expect(await said('GET', '/cloud/v1/loadbalancers/1/9')).toBe(there);
  expect(await said('GET', '/cloud/v1/regions/9')).toBe(there);
});

test('what a region lacks is answered with the regions that have it', async () => {
  const body = { name: 'disk', size: 1, source: 'new-volume' };
  const lacks = '403 Region Local has no volumes; choose region 2 (Paper)';
  expect(await said('POST', '/cloud/v1/volumes/1/1', { body })).toBe(lacks);
  expect(await said('GET', '/cloud/v2/k8s/1/1/create_versions')).toBe(
    '403 Region Local has no managed Kubernetes; choose region 2 (Paper)',
  );
});

test('a region whose programs are missing is not among those that have it', async () => {
  expect(await said('POST', '/cloud/v1/loadbalancers/1/1', { body: { name: 'web' } })).toBe(
    '403 Load balancers are not available in region Local: HAProxy is not installed: install the package; choose region 2 (Paper)',
  );
});

test('what is not found says where it was looked for', async () => {
  expect(await said('GET', `/cloud/v1/loadbalancers/1/2/${NOWHERE}`)).toBe(
    `404 Load balancer ${NOWHERE} was not found in project 1 and region 2`,
  );
  expect(await said('GET', '/cloud/v1/loadbalancers/9/2')).toBe('404 Project 9 was not found');
});

test.each([
  ['/cloud/v1/project', '/cloud/v1/projects'],
  ['/cloud/v3/projects', '/cloud/v1/projects'],
  ['/v1/projects', '/cloud/v1/projects'],
  ['/cloud/v1/loadbalancers', '/cloud/v1/loadbalancers/{project_id}/{region_id}'],
  ['/cloud/v1/loadbalancer/1/2', '/cloud/v1/loadbalancers/1/2'],
  ['/virga/v1/faults', '/virga/v1/simulation/{region_id}/faults'],
  ['/cloud/v1/something/else', undefined],
])('%s leads to %s', async (path, nearest) => {
  const hint = nearest ? `; did you mean ${nearest}?` : '';
  expect(await said('GET', path)).toBe(`404 There is nothing at ${path}${hint}`);
});

test('a method that another version of a path has leads to it', async () => {
  expect(await said('POST', '/cloud/v1/instances/1/2')).toBe(
    '405 POST is not allowed here; use GET, or POST /cloud/v2/instances/1/2',
  );
  expect(await said('PUT', '/cloud/v2/instances/1/2')).toBe('405 PUT is not allowed here; use POST');
});
