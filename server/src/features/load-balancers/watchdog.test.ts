import { expect, test } from 'vitest';
import { shared } from '../../../../test/harness/shared.ts';
import { LBS, web } from './testing/bodies.ts';
import { startLiveRegion } from './testing/live-region.ts';

/** Nothing is PENDING for ever, and what was given up can be repaired or deleted. */

const region = shared(startLiveRegion);

const MINUTE = 60_000;

const post = () => region.server.call('POST', LBS, { body: web });
const patch = (id: string, body: object) =>
  region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, { body });
const get = async (id: string) => (await region.server.call('GET', `${LBS}/${id}`)).body;
const task = async (id: string) => (await region.server.call('GET', `/cloud/v1/tasks/${id}`)).body;
const query = (text: string, values: unknown[]) => region.server.db.pool.query(text, values);

async function created(): Promise<string> {
  return String((await region.finished(await post())).created_resources?.loadbalancers?.[0]);
}

test('a task that goes on is left alone, and so is one that the engine can still end', async () => {
  const id = await created();
  const reply = await patch(id, { admin_state_up: false });
  region.clock.advance(20 * MINUTE);
  await region.watchdog.run();
  expect(await get(id)).toMatchObject({
    provisioning_status: 'PENDING_UPDATE',
    task_id: reply.body.tasks[0],
  });
  expect(await region.finished(reply)).toMatchObject({
    state: 'ERROR',
    error: 'update_loadbalancer was not done within 900 s',
  });
  expect(await get(id)).toMatchObject({ provisioning_status: 'ACTIVE', task_id: null, admin_state_up: true });
});

test('a load balancer whose task is gone is freed with its parts, and any change repairs it', async () => {
  const id = await created();
  const reply = await patch(id, { admin_state_up: false });
  await query('update lb_pools set task_id = $2, provisioning_status = $3 where load_balancer_id = $1', [
    id,
    reply.body.tasks[0],
    'PENDING_UPDATE',
  ]);
  await query('delete from tasks where id = $1', [reply.body.tasks[0]]);
  await region.watchdog.run();
  expect(await get(id)).toMatchObject({ provisioning_status: 'ERROR', task_id: null });
  const { body } = await region.server.call('GET', `${LBS}/${id}/status`);
  expect(body.listeners[0].pools[0].provisioning_status).toBe('ERROR');
  expect(await region.finished(await patch(id, { name: 'repaired' }))).toMatchObject({ state: 'FINISHED' });
  expect(await get(id)).toMatchObject({ provisioning_status: 'ACTIVE', name: 'repaired' });
  const after = await region.server.call('GET', `${LBS}/${id}/status`);
  expect(after.body.listeners[0].pools[0].provisioning_status).toBe('ACTIVE');
});

test('one that hangs is undone with a reason, and what its run finds out later is void', async () => {
  const reply = await post();
  region.provider.progress = [{ ready: false, retryInMs: 1 }];
  await region.stepped(reply);
  const { rows } = await query('select subject_id as id from tasks where id = $1', [reply.body.tasks[0]]);
  const id: string = rows[0].id;
  region.clock.advance(16 * MINUTE);
  await region.watchdog.run();
  expect(await region.finished(reply)).toMatchObject({
    state: 'ERROR',
    error: 'create_loadbalancer was not done within 900 s',
    created_resources: null,
  });
  expect((await region.server.call('GET', `${LBS}/${id}`)).status).toBe(404);
  await region.stepped(reply);
  expect((await region.server.call('GET', `${LBS}/${id}`)).status).toBe(404);
});

test('one whose undoing fails again and again keeps the reason that it failed for', async () => {
  const id = await created();
  const reply = await patch(id, { admin_state_up: false });
  const [taskId] = reply.body.tasks;
  region.clock.advance(31 * MINUTE);
  region.provider.progress = Array.from({ length: 9 }, () => new Error('the connection was reset'));
  for (let step = 0; step < 5; step++) await region.stepped(reply);
  expect(await task(taskId)).toMatchObject({ state: 'RUNNING' });
  await region.watchdog.run();
  region.provider.progress = [];
  expect(await task(taskId)).toMatchObject({
    state: 'ERROR',
    error: 'update_loadbalancer was not done within 900 s',
  });
  expect(await get(id)).toMatchObject({ provisioning_status: 'ERROR', task_id: null });
  const gone = await region.finished(await region.server.call('DELETE', `${LBS}/${id}`));
  expect(gone).toMatchObject({ state: 'FINISHED' });
  expect((await region.server.call('GET', `${LBS}/${id}`)).status).toBe(404);
});
