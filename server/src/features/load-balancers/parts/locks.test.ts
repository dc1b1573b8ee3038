import { expect, test } from 'vitest';
import { NOWHERE } from '../../../../../test/harness/project.ts';
import type { Reply } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { LBS, web } from '../testing/bodies.ts';
import { startLiveRegion } from '../testing/live-region.ts';
import { LISTENERS } from '../testing/parts.ts';

/** What a task says of what it is about, and what waits for it. */

const region = shared(startLiveRegion);

const call = (method: string, path: string, body?: object) =>
  region.server.call(method, path, body === undefined ? {} : { body });
const taskOf = async ({ body }: Reply) => (await call('GET', `/cloud/v1/tasks/${body.tasks[0]}`)).body;
const locksOf = async ({ body }: Reply, query = '') =>
  (await call('GET', `/virga/v1/tasks/${body.tasks[0]}/locks${query}`)).body;

test('a task has locked what its creation consists of, until it ends', async () => {
  const reply = await call('POST', LBS, web);
  const lb = (await taskOf(reply)).subject;
  expect(lb).toEqual({ type: 'loadbalancer', id: expect.any(String), name: 'web', parent: null });
  const parent = { type: 'loadbalancer', id: lb.id, name: 'web' };
  const part = (type: string, name: string | null) => ({ type, id: expect.any(String), name, parent });
  const locks = await locksOf(reply);
  expect(locks).toEqual({
    count: 6,
    results: [
      lb,
      part('lblistener', 'http'),
      part('lbpool', 'app'),
      part('lbpool_member', '127.0.0.1:9001'),
      part('lbpool_member', '127.0.0.1:9002'),
      part('lb_health_monitor', null),
    ],
  });
  const page = await locksOf(reply, '?limit=2&offset=1');
  expect(page).toEqual({ count: 6, results: locks.results.slice(1, 3) });
  await region.finished(reply);
  expect(await locksOf(reply)).toEqual({ count: 0, results: [] });
  expect((await taskOf(reply)).subject).toEqual(lb);
});

test('a task about a part names the load balancer, also when nothing changes', async () => {
  const made = await region.finished(await call('POST', LBS, { ...web, name: 'front' }));
  const id = String(made.created_resources?.loadbalancers?.[0]);
  const listener = String(made.created_resources?.listeners?.[0]);
  const subject = {
    type: 'lblistener',
    id: listener,
    name: 'http',
    parent: { type: 'loadbalancer', id, name: 'front' },
  };
  const same = await call('PATCH', `${LISTENERS.replace('v1', 'v2')}/${listener}`, { name: 'http' });
  expect((await taskOf(same)).subject).toEqual(subject);
  const changed = await call('PATCH', `${LISTENERS.replace('v1', 'v2')}/${listener}`, {
    timeout_client_data: 9000,
  });
  expect((await taskOf(changed)).subject).toEqual(subject);
  const locks = (await locksOf(changed)).results;
  expect(locks).toContainEqual(subject);
  // What it has locked is what refuses others with its id.
  const refused = await call('DELETE', `${LBS}/${id}`);
  expect(refused).toMatchObject({ status: 409 });
  expect(locks.map((one: { id: string }) => one.id)).toContain(id);
  await region.finished(changed);
});

test('what a task of others has locked is not said', async () => {
  expect(await call('GET', `/virga/v1/tasks/${NOWHERE}/locks`)).toMatchObject({ status: 404 });
  expect(await call('GET', '/virga/v1/tasks/mine/locks')).toMatchObject({ status: 404 });
});
