import { expect, test } from 'vitest';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The version is part of each path, and operations of different versions stand side by side. */

const server = shared(() => startTestServer({ worker: false }));

const paths = (): string[] => Object.keys(server.app.document.paths as object);

test.each([
  ['/cloud/v1/projects'],
  ['/cloud/v1/regions'],
  ['/cloud/v1/tasks'],
  ['/cloud/v1/loadbalancers/{project_id}/{region_id}'],
  ['/cloud/v1/instances/{project_id}/{region_id}'],
  ['/cloud/v1/dbaas/status/{project_id}/{region_id}'],
  ['/cloud/v2/k8s/clusters/{project_id}/{region_id}'],
  ['/cloud/v2/client_quotas/{client_id}/notification_threshold'],
  ['/cloud/v3/inference/{project_id}/secrets'],
  ['/waap/v1/preview-custom-page'],
  ['/storage/notifications/v1/event'],
  ['/storage/notifications/v1/events'],
])('%s is served', (path) => {
  expect(paths()).toContain(path);
});

test('every path of the cloud, of protection and of storage has a version', () => {
  const areas = paths().filter((path) => /^\/(cloud|waap|storage|virga)\//.test(path));
  expect(areas.length).toBeGreaterThan(50);
  const unversioned = areas.filter(
    (path) =>
      !/^\/(cloud\/(public\/)?v[123]|waap\/v[12]|storage\/(notifications\/v1|provisioning\/v[123]|stats\/v1|v4)|virga\/v1)\//.test(
        path,
      ),
  );
  expect(unversioned).toEqual([]);
});

test('another version of a path is another path', async () => {
  for (const path of ['/cloud/v9/projects', '/cloud/v2/regions', '/cloud/v1/inference/1/secrets']) {
    expect((await server.call('GET', path)).status).toBe(404);
  }
});
