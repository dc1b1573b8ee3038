import { expect, test } from 'vitest';
import { faultsOf, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, monitor } from '../testing/bodies.ts';
import { POOLS } from '../testing/parts.ts';

const server = shared(startTestServer);

const { call, read, finished, make } = project(() => server);
const pathOf = (pool: string) => `${POOLS}/${pool}/healthmonitor`;

async function newPool(protocol: string): Promise<string> {
  const lb = await created(server, { name: 'checked' });
  return make('lbpools', { load_balancer_id: lb, name: 'pool', protocol, lb_algorithm: 'ROUND_ROBIN' });
}

test('a pool has at most one health monitor, and when the deletion is answered it is gone', async () => {
  const pool = await newPool('HTTP');
  const task = await finished(call('POST', pathOf(pool), monitor), 'create_lbpool_health_monitor');
  const shown = () => read(`${POOLS}/${pool}`);
  expect((await shown()).healthmonitor).toMatchObject({
    ...monitor,
    id: task.created_resources?.healthmonitors?.[0],
    max_retries_down: 3,
    http_method: 'GET',
    expected_codes: '200',
    provisioning_status: 'ACTIVE',
  });
  const second = await call('POST', pathOf(pool), monitor);
  expect(second).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  const deleted = await call('DELETE', pathOf(pool));
  expect([deleted.status, deleted.body]).toEqual([204, '']);
  expect(await shown()).toMatchObject({ healthmonitor: null, provisioning_status: 'ACTIVE', task_id: null });
  expect((await call('DELETE', pathOf(pool))).status).toBe(404);
});

test('a health monitor must fit its pool, and all faulty fields are named', async () => {
  const pool = await newPool('UDP');
  expect(await faultsOf(call('POST', pathOf(pool), { ...monitor, delay: 0, max_retries: 11 }))).toEqual([
    'delay',
    'max_retries',
  ]);
  const wrong = { type: 'TLS-HELLO', delay: 1, timeout: 2, max_retries: 1, expected_codes: '200' };
  expect(await faultsOf(call('POST', pathOf(pool), wrong))).toEqual(['expected_codes', 'timeout', 'type']);
  const codes = { ...monitor, expected_codes: '204-200' };
  expect(await faultsOf(call('POST', pathOf(await newPool('HTTP')), codes))).toEqual(['expected_codes']);
  expect((await call('POST', pathOf(NOWHERE), monitor)).status).toBe(404);
  expect((await call('DELETE', pathOf(NOWHERE))).status).toBe(404);
});
