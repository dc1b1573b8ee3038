import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { created, LBS } from '../../server/src/features/load-balancers/testing/bodies.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { finished } from '../harness/project.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Load balancers: every field of the record, names, tags, the parameters of the list, states. */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/;

const server = shared(startTestServer);

const get = async (id: string, query = '') => (await server.call('GET', `${LBS}/${id}${query}`)).body;

describe('the record', () => {
  test('has every field, and those that nothing was said about have their defaults', async () => {
    const id = await created(server, { name: 'plain' });
    expect(await get(id)).toEqual({
      id: expect.stringMatching(UUID),
      project_id: 1,
      region_id: 2,
      region: 'Simulated',
      name: 'plain',
      operating_status: 'ONLINE',
      provisioning_status: 'ACTIVE',
      admin_state_up: true,
      created_at: expect.stringMatching(TIME),
      updated_at: null,
      creator_task_id: expect.stringMatching(UUID),
      task_id: null,
      vip_address: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
      vip_fqdn: null,
      vip_ip_family: 'ipv4',
      vip_port_id: expect.toBeOneOf([null, expect.stringMatching(UUID)]),
      preferred_connectivity: 'L2',
      additional_vips: [],
      vrrp_ips: expect.any(Array),
      floating_ips: [],
      listeners: [],
      flavor: null,
      logging: { enabled: false, destination_region_id: null, retention_policy: null, topic_name: null },
      stats: null,
      ddos_profile: null,
      tags_v2: [],
      metadata: [],
    });
  });

  test('names listeners by id, and VRRP addresses with a role', async () => {
    const listeners = [80, 81].map((protocol_port) => ({
      name: `port ${protocol_port}`,
      protocol: 'TCP',
      protocol_port,
    }));
    const record = await get(await created(server, { name: 'two doors', listeners }));
    expect(record.listeners).toEqual([
      { id: expect.stringMatching(UUID) },
      { id: expect.stringMatching(UUID) },
    ]);
    for (const { role } of record.vrrp_ips) expect(['MASTER', 'BACKUP', 'STANDALONE']).toContain(role);
  });

  test('names a flavor that is not the default, whose id is its name', async () => {
    const { body } = await server.call('GET', '/cloud/v1/lbflavors/1/2');
    const [, larger] = body.results;
    const { flavor } = await get(await created(server, { name: 'larger', flavor: larger.flavor_name }));
    expect(flavor).toEqual({
      flavor_id: larger.flavor_name,
      flavor_name: larger.flavor_name,
      vcpus: expect.any(Number),
      ram: expect.any(Number),
    });
  });

  test('has the default flavor when an older tool names none', async () => {
    expect((await get(await created(server, { name: 'plain', flavor: '' }))).flavor).toBeNull();
  });

  test('keeps where its log goes, and for how long', async () => {
    const logging = {
      destination_region_id: 2,
      enabled: true,
      retention_policy: { period: 45 },
      topic_name: 'access',
    };
    expect((await get(await created(server, { name: 'logged', logging }))).logging).toEqual(logging);
  });

  test.each(['L2', 'L3'])('keeps the connectivity %s', async (preferred_connectivity) => {
    const id = await created(server, { name: 'connected', preferred_connectivity });
    expect((await get(id)).preferred_connectivity).toBe(preferred_connectivity);
  });

  test('that is switched off is OFFLINE, and says when it was changed', async () => {
    const id = await created(server, { name: 'switched' });
    const path = `/cloud/v2/loadbalancers/1/2/${id}`;
    await finished(server, server.call('PATCH', path, { body: { admin_state_up: false } }));
    expect(await get(id)).toMatchObject({
      admin_state_up: false,
      operating_status: 'OFFLINE',
      updated_at: expect.stringMatching(TIME),
    });
  });
});

describe('a name', () => {
  const status = async (name: unknown) => {
    const { status: code, body } = await server.call('PATCH', `${LBS}/${id}`, { body: { name } });
    if (code === 400) expect(Object.keys(body.invalid_fields)).toEqual(['name']);
    return code;
  };
  let id = '';

  beforeAll(async () => {
    id = await created(server, { name: 'renamed' });
  });

  test.each([
    ['abc', 200],
    ['a'.repeat(63), 200],
    ['1 .', 200],
    ['a-_', 200],
    ['Ab 1._-z', 200],
    ['ab', 400],
    ['a'.repeat(64), 400],
    ['', 400],
    ['_ab', 400],
    ['.ab', 400],
    ['-ab', 400],
    [' ab', 400],
    ['ab-', 400],
    ['ab ', 400],
    ['a/b', 400],
    ['añb', 400],
    ['a\nb', 400],
    [123, 400],
  ])('%j answers %i', async (name, expected) => {
    expect(await status(name)).toBe(expected);
  });

  test('of 3 to 63 allowed characters with a good beginning and end is accepted, any other is not', async () => {
    const letters = 'abzABZ019';
    const good = (name: string) =>
      name.length >= 3 &&
      name.length <= 63 &&
      [...name].every((c) => `${letters} ._-`.includes(c)) &&
      letters.includes(name[0] ?? '?') &&
      `${letters}._`.includes(name.at(-1) ?? '?');
    const character = fc.constantFrom(...letters, ' ', '.', '_', '-', '=');
    const names = fc.array(character, { minLength: 1, maxLength: 66 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        expect(await status(name), name).toBe(good(name) ? 200 : 400);
      }),
      { numRuns: 60 },
    );
  });

  test('is required', async () => {
    const { status: code, body } = await server.call('POST', LBS, { body: {} });
    expect([code, Object.keys(body.invalid_fields)]).toEqual([400, ['name']]);
  });
});

describe('tags', () => {
  const patched = async (tags: object | null) => {
    const id = await created(server, { name: 'tagged', tags: { keep: 'me', old: '1' } });
    const reply = await server.call('PATCH', `${LBS}/${id}`, { body: { tags } });
    return { ...reply, tags: reply.body.tags_v2 };
  };
  const tag = (key: string, value: string) => ({ key, value, read_only: false });

  test('are {key, value, read_only}, beside metadata for older clients', async () => {
    const record = await get(await created(server, { name: 'tagged', tags: { team: 'a', env: 'test 1' } }));
    expect(record.tags_v2).toHaveLength(2);
    expect(record.tags_v2).toEqual(expect.arrayContaining([tag('team', 'a'), tag('env', 'test 1')]));
    expect(record.metadata).toEqual(record.tags_v2);
  });

  test.each([
    ['a key of 255 characters', { ['k'.repeat(255)]: 'v' }, 200],
    ['a key of 256 characters', { ['k'.repeat(256)]: 'v' }, 400],
    ['an empty key', { '': 'v' }, 400],
    ['a key of white space', { '  ': 'v' }, 400],
    ['white space in a key', { 'a b': 'v' }, 400],
    ['= in a key', { 'a=b': 'v' }, 400],
    ['a value of 255 characters', { k: 'v'.repeat(255) }, 200],
    ['a value of 256 characters', { k: 'v'.repeat(256) }, 400],
    ['an empty value', { k: '' }, 400],
    ['a value of white space', { k: '  ' }, 400],
    ['a tab in a value', { k: 'a\tb' }, 400],
    ['a newline in a value', { k: 'a\nb' }, 400],
    ['spaces and = in a value', { k: 'a = b' }, 200],
  ])('%s', async (_what, tags, expected) => {
    expect((await patched(tags)).status).toBe(expected);
  });

  test('lose surrounding white space before they are judged', async () => {
    expect((await patched({ ' k ': '\tv\n', keep: null, old: null })).tags).toEqual([tag('k', 'v')]);
  });

  test('are merged: given ones are set, null removes one, null for all removes all', async () => {
    const { tags } = await patched({ old: null, more: '2' });
    expect(tags).toHaveLength(2);
    expect(tags).toEqual(expect.arrayContaining([tag('keep', 'me'), tag('more', '2')]));
    expect((await patched(null)).tags).toEqual([]);
  });

  test('that are read-only stay as they are, whoever asks', async () => {
    const id = await created(server, { name: 'marked' });
    const stored = JSON.stringify({ owner: { value: 'cloud', read_only: true } });
    await server.db.run(sql`update load_balancers set tags = ${stored} where id = ${id}`);
    for (const tags of [{ owner: 'me' }, { owner: null }]) {
      const { status, body } = await server.call('PATCH', `${LBS}/${id}`, { body: { tags } });
      expect([status, Object.keys(body.invalid_fields)]).toEqual([400, ['tags.owner']]);
    }
    expect((await get(id)).tags_v2).toEqual([{ key: 'owner', value: 'cloud', read_only: true }]);
  });
});

describe('the list', () => {
  const path = '/cloud/v1/loadbalancers/1/1';
  const names = async (query: string) => {
    const { status, body } = await server.call('GET', `${path}?${query}`);
    expect(status, query).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['count', 'results']);
    return body.results.map((each: { name: string }) => each.name);
  };
  const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));

  beforeAll(async () => {
    const log = { enabled: true, topic_name: 'access' };
    await created(server, { name: 'one', tags: { team: 'a', env: 'x' } }, path);
    await created(server, { name: 'two', tags: { team: 'b' }, logging: log }, path);
    const id = await created(server, { name: 'three', flavor: 'lb1-2-4' }, path);
    const off = { body: { admin_state_up: false } };
    await finished(server, server.call('PATCH', `/cloud/v2/loadbalancers/1/1/${id}`, off));
    await server.db.run(
      sql`update load_balancers set created_at = created_at - interval '1 hour' * length(name) where region_id = 1`,
    );
  });

  test.each([
    ['', ['one', 'two', 'three']],
    ['name=two', ['two']],
    ['name=TWO', []],
    ['operating_status=OFFLINE', ['three']],
    ['operating_status=DEGRADED', []],
    ['provisioning_status=ACTIVE', ['one', 'two', 'three']],
    ['provisioning_status=ERROR', []],
    ['logging_enabled=true', ['two']],
    ['logging_enabled=false', ['one', 'three']],
    ['assigned_floating=true', []],
    ['assigned_floating=false', ['one', 'two', 'three']],
    ['tag_key=team', ['one', 'two']],
    ['tag_key=team&tag_key=env', ['one']],
    ['tag_key=%20team%20', ['one', 'two']],
    [`tag_key_value=${encoded({ team: 'b' })}`, ['two']],
    [`tag_key_value=${encoded({ team: 'a', env: 'x' })}`, ['one']],
    [`tag_key_value=${encoded({ team: 'a', env: 'y' })}`, []],
  ])('?%s', async (query, expected) => {
    expect((await names(query)).sort()).toEqual([...expected].sort());
  });

  test('is ordered by its creation, the newest first, and by every field in both directions', async () => {
    expect((await names('')).at(-1)).toBe('three');
    expect(await names('')).toEqual(await names('order_by=created_at.desc'));
    const fields = ['created_at', 'flavor', 'name', 'operating_status', 'provisioning_status'];
    for (const field of [...fields, 'updated_at', 'vip_address', 'vip_ip_family']) {
      for (const direction of ['asc', 'desc']) {
        expect(await names(`order_by=${field}.${direction}`)).toHaveLength(3);
      }
    }
    expect(await names('order_by=name.asc')).toEqual(['one', 'three', 'two']);
    expect(await names('order_by=name.desc')).toEqual(['two', 'three', 'one']);
  });

  test.each([
    ['order_by=name', 'order_by'],
    ['order_by=id.asc', 'order_by'],
    ['operating_status=UP', 'operating_status'],
    ['provisioning_status=online', 'provisioning_status'],
    ['show_stats=maybe', 'show_stats'],
    ['assigned_floating=2', 'assigned_floating'],
    ['tag_key=a%20b', 'tag_key.0'],
    ['tag_key=a%3Db', 'tag_key.0'],
    [`tag_key=${'k'.repeat(256)}`, 'tag_key.0'],
    ['tag_key_value=team', 'tag_key_value'],
    ['tag_key_value=[]', 'tag_key_value'],
    [`tag_key_value=${encoded({ team: 1 })}`, 'tag_key_value.team'],
    [`tag_key_value=${encoded({ team: '' })}`, 'tag_key_value.team'],
  ])('?%s is refused and named', async (query, field) => {
    const { status, body } = await server.call('GET', `${path}?${query}`);
    expect([status, Object.keys(body.invalid_fields ?? {})]).toEqual([400, [field]]);
  });

  test('carries five integers of statistics with show_stats, and none without', async () => {
    const listeners = [{ name: 'door', protocol: 'TCP', protocol_port: 80 }];
    const id = await created(server, { name: 'counted', listeners });
    const [{ id: listener }] = (await get(id)).listeners;
    await server.db.run(sql`insert into lb_listener_stats (listener_id, load_balancer_id, active_connections, bytes_in, bytes_out,
         request_errors, total_connections) values (${listener}, ${id}, 1, 20, 300, 4, 50)
       on conflict (listener_id) do update set active_connections = 1, bytes_in = 20, bytes_out = 300,
         request_errors = 4, total_connections = 50`);
    const expected = {
      active_connections: 1,
      bytes_in: 20,
      bytes_out: 300,
      request_errors: 4,
      total_connections: 50,
    };
    const list = async (query: string) =>
      (await server.call('GET', `${LBS}?name=counted${query}`)).body.results[0].stats;
    expect(await list('&show_stats=true')).toEqual(expected);
    expect((await get(id, '?show_stats=true')).stats).toEqual(expected);
    for (const query of ['', '&show_stats=false']) expect(await list(query)).toBeNull();
  });

  test('accepts with_ddos; where there is no profile it is null', async () => {
    const { body } = await server.call('GET', `${path}?with_ddos=true`);
    expect(body.results.map((each: { ddos_profile: unknown }) => each.ddos_profile)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test.each(['x/2', '1/x'])('refuses ids that are no integers: %s', async (ids) => {
    expect((await server.call('GET', `/cloud/v1/loadbalancers/${ids}`)).status).toBe(400);
  });
});

describe('while a task works on it', () => {
  test('the load balancer names the task, and is free again when that ends', async () => {
    const idle = await startTestServer({ worker: false });
    try {
      const { body } = await idle.call('POST', LBS, { body: { name: 'busy' } });
      const { results } = (await idle.call('GET', LBS)).body;
      expect(results[0]).toMatchObject({
        provisioning_status: 'PENDING_CREATE',
        operating_status: 'OFFLINE',
        task_id: body.tasks[0],
        creator_task_id: body.tasks[0],
      });
      await idle.app.worker.start();
      await finished(idle, { status: 200, headers: {}, body });
      const after = (await idle.call('GET', `${LBS}/${results[0].id}`)).body;
      expect(after).toMatchObject({
        provisioning_status: 'ACTIVE',
        task_id: null,
        creator_task_id: body.tasks[0],
      });
      await idle.app.worker.stop();
    } finally {
      await idle.close();
    }
  });

  test('DELETED and the pending states can be asked for, and are none of an idle one', async () => {
    for (const state of ['DELETED', 'PENDING_CREATE', 'PENDING_DELETE', 'PENDING_UPDATE']) {
      const { status, body } = await server.call('GET', `${LBS}?provisioning_status=${state}`);
      expect([status, body.count]).toEqual([200, 0]);
    }
  });
});
