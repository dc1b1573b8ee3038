import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { ListenerStats } from '../port.ts';
import { LBS, web } from '../testing/bodies.ts';
import { startLiveRegion } from '../testing/live-region.ts';

const region = shared(startLiveRegion);

const MINUTE = 60_000;
const GIB = 1024 ** 3;

async function created(): Promise<{ id: string; listener: string }> {
  const { created_resources: made } = await region.finished(
    await region.server.call('POST', LBS, { body: web }),
  );
  return { id: String(made?.loadbalancers?.[0]), listener: String(made?.listeners?.[0]) };
}

const counted = (bytesIn: number, bytesOut: number): ListenerStats => ({
  activeConnections: 2,
  bytesIn,
  bytesOut,
  requestErrors: 1,
  totalConnections: 7,
});

/** One minute later the data plane says this, and a sample is recorded. */
async function minute(listener: string, stats: ListenerStats): Promise<void> {
  region.clock.advance(MINUTE);
  region.provider.stats.set(listener, stats);
  await region.observer.run();
  await region.sampler.run();
}

const statements = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { db } = region.server;
  const rows = db.rows.bind(db);
  const texts: string[] = [];
  db.rows = (statement, ...rest) => {
    texts.push(statement.text.trim());
    return rows(statement, ...rest);
  };
  await work();
  db.rows = rows;
  return texts;
};

const rows = async (id: string) =>
  (
    await region.server.db.rows<{ count: number }>(
      sql`select count(*) as count from lb_samples where load_balancer_id = ${id}`,
    )
  )[0]?.count;

test('the series has the rates of traffic, processor and memory against the flavor', async () => {
  const { id, listener } = await created();
  region.provider.used.set(id, { cpuMs: 1000, memoryBytes: GIB });
  await minute(listener, counted(0, 0));
  region.provider.used.set(id, { cpuMs: 16_000, memoryBytes: GIB / 2 });
  await minute(listener, counted(60_000, 600_000));
  const { count, results } = await region.metrics(id, { time_interval: 1, time_unit: 'hour' });
  expect(count).toBe(2);
  const [, point] = results;
  expect(point?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
  expect(point?.network_Bps_ingress).toBeCloseTo(1000, -1);
  expect(point?.network_Bps_egress).toBeCloseTo(10_000, -2);
  expect(point?.cpu_util).toBeCloseTo(25, 0);
  expect(point?.memory_util).toBeCloseTo(25, 2);
  expect(point).toMatchObject({ network_pps_egress: null, network_pps_ingress: null });
});

test('the traffic of the first minute is in the first point', async () => {
  const { id, listener } = await created();
  region.provider.used.set(id, { cpuMs: 3000, memoryBytes: GIB });
  await minute(listener, counted(6000, 60_000));
  const { results } = await region.metrics(id, { time_interval: 1, time_unit: 'hour' });
  expect(results).toHaveLength(1);
  expect(results[0]?.network_Bps_ingress).toBeCloseTo(100, -1);
  expect(results[0]?.cpu_util).toBeGreaterThan(0);
});

test('a data plane that does not report its usage still has rates of traffic', async () => {
  const { id, listener } = await created();
  await minute(listener, counted(0, 0));
  await minute(listener, counted(600, 60));
  const { results } = await region.metrics(id, { time_interval: 1, time_unit: 'day' });
  expect(results).toHaveLength(2);
  expect(results[1]).toMatchObject({ cpu_util: null, memory_util: null });
  expect(results[1]?.network_Bps_ingress).toBeGreaterThan(9);
});

test('one sample of all load balancers is one statement to read them and one to write', async () => {
  await created();
  await created();
  region.clock.advance(MINUTE);
  const first = await statements(() => region.sampler.run());
  // What else the server does in the same moment is not of this sample.
  const own = first.filter((text) => /^(select id, region_id, flavor|insert into lb_samples)/.test(text));
  expect(own).toHaveLength(2);
});

test('a day of minutes and a month of quarters of an hour are kept, and nothing else', async () => {
  const { id, listener } = await created();
  for (let count = 0; count < 30; count++) await minute(listener, counted(count, count));
  expect(await rows(id)).toBe(30);
  region.clock.advance(25 * 60 * MINUTE);
  await region.sampler.run();
  const kept = (await rows(id)) ?? 0;
  expect(kept).toBeGreaterThanOrEqual(3);
  expect(kept).toBeLessThanOrEqual(5);
  region.clock.advance(31 * 24 * 60 * MINUTE);
  await region.sampler.run();
  expect(await rows(id)).toBe(1);
});

test('samples go with their load balancer', async () => {
  const { id, listener } = await created();
  await minute(listener, counted(1, 1));
  await region.finished(await region.server.call('DELETE', `${LBS}/${id}`));
  expect(await rows(id)).toBe(0);
  await region.sampler.run();
  expect(await rows(id)).toBe(0);
});

test('what a listener had counted stays with its load balancer when the listener goes', async () => {
  const { id, listener } = await created();
  await minute(listener, counted(100, 1000));
  await region.server.db.run(sql`delete from lb_listeners where id = ${listener}`);
  region.provider.stats.delete(listener);
  const total = new RegExp(`^virga_loadbalancer_bytes_out_total\\{.*"${id}"\\} 1000$`, 'm');
  const connections = new RegExp(`^virga_loadbalancer_active_connections\\{.*"${id}"\\} 0$`, 'm');
  // Before and after it is added up.
  for (const turn of [0, 1]) {
    const { body } = await region.server.call('GET', `${LBS}/${id}?show_stats=true`);
    expect(body.stats, `turn ${turn}`).toEqual({
      active_connections: 0,
      bytes_in: 100,
      bytes_out: 1000,
      request_errors: 1,
      total_connections: 7,
    });
    expect(await region.counters()).toMatch(total);
    expect(await region.counters()).toMatch(connections);
    region.clock.advance(15 * MINUTE);
    await region.sampler.run();
    const left = await region.server.db.pool.query('select from lb_listener_stats where listener_id = $1', [
      listener,
    ]);
    expect(left.rowCount).toBe(0);
  }
});

test('operators see the counters of each load balancer and listener, by id', async () => {
  const { id, listener } = await created();
  await minute(listener, counted(5, 6));
  const text = await region.counters();
  const scope = `project_id="1",region_id="2",loadbalancer_id="${id}"`;
  expect(text).toContain(`virga_loadbalancer_bytes_in_total{${scope}} 5\n`);
  expect(text).toContain(`virga_listener_active_connections{${scope},listener_id="${listener}"} 2\n`);
  expect(text).toContain(
    `virga_loadbalancer_status{${scope},operating_status="ONLINE",provisioning_status="ACTIVE"} 1\n`,
  );
  expect(text).not.toContain('"web"');
});

test('a region where nothing flows has zeros from the creation on', async () => {
  const { id } = await created();
  region.clock.advance(10 * MINUTE);
  const path = `${LBS}/${id}/metrics`;
  const { status, body } = await region.server.call('POST', path, {
    body: { time_interval: 1, time_unit: 'hour' },
    as: 'Users',
  });
  expect(status).toBe(200);
  expect(body.count).toBe(10);
  expect(body.results[0]).toMatchObject({ cpu_util: 0, network_Bps_egress: 0, network_pps_egress: null });
});

test('a faulty window is refused with every field, an unknown load balancer is not found', async () => {
  const { id } = await created();
  const ask = (of: string, body: object) => region.server.call('POST', `${LBS}/${of}/metrics`, { body });
  expect((await ask(id, { time_interval: 0, time_unit: 'hour' })).body.invalid_fields).toEqual({
    time_interval: ['must be at least 1'],
  });
  const { invalid_fields } = (await ask(id, { time_interval: 1.5, time_unit: 'week' })).body;
  expect(Object.keys(invalid_fields).sort()).toEqual(['time_interval', 'time_unit']);
  expect(
    (await ask('5b2f7b0e-0f5d-4c33-9b5f-0f4f5e7a2f10', { time_interval: 1, time_unit: 'day' })).status,
  ).toBe(404);
});

test('requests over time: rates by code, response times, and the worst status of each step', async () => {
  const { id, listener } = await created();
  const series = async (hours = 1) => {
    const path = `/virga/v1/loadbalancers/1/2/${id}/series?hours=${hours}`;
    return (await region.server.call('GET', path)).body.results;
  };
  const responded = async (count: number, milliseconds: number, status: string) => {
    const responses = {
      '2xx': count,
      '3xx': 0,
      '4xx': 0,
      '5xx': count / 2,
      other: 0,
      timed: count,
      milliseconds,
    };
    region.provider.used.set(id, { cpuMs: 0, memoryBytes: 0, responses });
    region.clock.advance(MINUTE);
    await region.server.db.run(sql`update load_balancers set operating_status = ${status} where id = ${id}`);
    await region.sampler.run();
  };
  await minute(listener, counted(0, 0));
  expect(await series()).toEqual([expect.objectContaining({ response_milliseconds: null, alert: null })]);
  await responded(120, 2400, 'ONLINE');
  await responded(240, 2400 + 120 * 50, 'DEGRADED');
  // The data plane was started again.
  await responded(60, 60, 'ERROR');
  const points = await series();
  expect(points.map((point: Record<string, unknown>) => point.alert)).toEqual([
    null,
    null,
    'DEGRADED',
    'ERROR',
  ]);
  expect(points[2].response_milliseconds).toBe(50);
  expect(points[2].responses_per_second['2xx']).toBeCloseTo(2, 0);
  expect(points[2].responses_per_second['5xx']).toBeCloseTo(1, 0);
  expect(points[3]).toMatchObject({ response_milliseconds: null, responses_per_second: { '2xx': null } });
  for (let count = 0; count < 16; count += 1) await responded(60, 60, 'ONLINE');
  region.clock.advance(25 * 60 * MINUTE);
  await region.sampler.run();
  // Single minutes are forgotten, and what was wrong in them is not.
  const kept = await series(720);
  expect(kept.length).toBeLessThanOrEqual(4);
  expect(kept.some((point: Record<string, unknown>) => point.alert === 'ERROR')).toBe(true);
  const elsewhere = `/virga/v1/loadbalancers/1/2/${id}/series`;
  expect((await region.server.call('GET', elsewhere, { as: 'other client' })).status).toBe(404);
});
