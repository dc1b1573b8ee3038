import { expect, test } from 'vitest';
import { anImage, instanceBody } from '../../server/src/features/instances/testing/bodies.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Calls that only the newest clients make. */

const server = shared(startTestServer);

test('a health monitor is read and changed at its pool', async () => {
  const made = async (path: string, body: object, kind: string) =>
    String((await server.ended(await server.call('POST', path, { body }))).created_resources?.[kind]?.[0]);
  const balancer = await made('/cloud/v1/loadbalancers/1/2', { name: 'web' }, 'loadbalancers');
  const pool = await made(
    '/cloud/v1/lbpools/1/2',
    {
      name: 'app',
      protocol: 'HTTP',
      lb_algorithm: 'ROUND_ROBIN',
      load_balancer_id: balancer,
      healthmonitor: { type: 'HTTP', delay: 5, timeout: 3, max_retries: 2, url_path: '/up' },
    },
    'pools',
  );
  const path = `/cloud/v1/lbpools/1/2/${pool}/healthmonitor`;
  const before = await server.call('GET', path);
  expect(before.body).toMatchObject({ type: 'HTTP', delay: 5, url_path: '/up' });
  expect((await server.ended(await server.call('PATCH', path, { body: { delay: 9 } }))).state).toBe(
    'FINISHED',
  );
  const after = await server.call('GET', path);
  expect({ ...after.body, delay: 5 }).toEqual(before.body);
  expect(after.body.delay).toBe(9);
});

test('a set of pages is changed under v2', async () => {
  const { body: set } = await server.call('POST', '/waap/v1/custom-page-sets', { body: { name: 'before' } });
  const changed = await server.call('PATCH', `/waap/v2/custom-page-sets/${set.id}`, {
    body: { name: 'after' },
  });
  expect(changed.status).toBeLessThan(300);
  expect((await server.call('GET', `/waap/v1/custom-page-sets/${set.id}`)).body).toEqual({
    ...set,
    name: 'after',
  });
});

test('a console is opened where instances have one, and refused clearly where they have none', async () => {
  const image = await anImage((path) => server.call('GET', path));
  const task = await server.ended(
    await server.call('POST', '/cloud/v2/instances/1/2', { body: instanceBody(image) }),
  );
  const path = `/cloud/v1/instances/1/2/${task.created_resources?.instances?.[0]}/get_console`;
  const refused = await server.call('GET', path);
  expect({ status: refused.status, message: refused.body.message }).toMatchObject({
    status: 409,
    message: expect.stringContaining('has no console'),
  });
  const provider = server.providers.of('instances')(2);
  Object.assign(provider ?? {}, {
    consoleOf: async () => ({ url: 'http://127.0.0.1:6080/vnc.html', type: 'novnc', protocol: 'vnc' }),
  });
  const shown = await server.call('GET', path);
  expect(shown.body).toEqual({
    remote_console: { url: 'http://127.0.0.1:6080/vnc.html', type: 'novnc', protocol: 'vnc' },
  });
});
