import { expect, test } from 'vitest';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, monitor } from '../testing/bodies.ts';
import { faultsOf, madeOne, NOTHING } from '../testing/parts.ts';

const POOLS = '/cloud/v1/lbpools/1/2';

const server = shared(startTestServer);

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, path, body === undefined ? {} : { body });
const pathOf = (pool: string) => `${POOLS}/${pool}/healthmonitor`;

async function newPool(protocol: string): Promise<string> {
  const lb = await created(server, { name: 'checked' });
  const body = { load_balancer_id: lb, name: 'pool', protocol, lb_algorithm: 'ROUND_ROBIN' };
  return madeOne(server, 'pools', call('POST', POOLS, body));
}

test('a pool gets one health monitor, and loses it for good before the answer comes', async () => {
  const pool = await newPool('HTTP');
  const reply = await call('POST', pathOf(pool), monitor);
  const task = await server.ended(reply);
  expect(task).toMatchObject({ state: 'FINISHED', task_type: 'create_lbpool_health_monitor' });
  const shown = async () => (await call('GET', `${POOLS}/${pool}`)).body;
  expect((await shown()).healthmonitor).toMatchObject({
    ...{ ...monitor, id: task.created_resources?.healthmonitors?.[0], max_retries_down: 3 },
    ...{ http_method: 'GET', expected_codes: '200', provisioning_status: 'ACTIVE' },
  });
  const second = await call('POST', pathOf(pool), monitor);
  expect(second).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  const deleted = await call('DELETE', pathOf(pool));
  expect([deleted.status, deleted.body]).toEqual([204, '']);
  expect(await shown()).toMatchObject({ healthmonitor: null, provisioning_status: 'ACTIVE', task_id: null });
  expect((await call('DELETE', pathOf(pool))).status).toBe(404);
});

test('it must fit its pool, and every fault is named', async () => {
  const pool = await newPool('UDP');
  expect(await faultsOf(call('POST', pathOf(pool), { ...monitor, delay: 0, max_retries: 11 }))).toEqual([
    'delay',
    'max_retries',
  ]);
  const wrong = { type: 'TLS-HELLO', delay: 1, timeout: 2, max_retries: 1, expected_codes: '200' };
  expect(await faultsOf(call('POST', pathOf(pool), wrong))).toEqual(['expected_codes', 'timeout', 'type']);
  const codes = { ...monitor, expected_codes: '204-200' };
  expect(await faultsOf(call('POST', pathOf(await newPool('HTTP')), codes))).toEqual(['expected_codes']);
  expect((await call('POST', pathOf(NOTHING), monitor)).status).toBe(404);
  expect((await call('DELETE', pathOf(NOTHING))).status).toBe(404);
});
