import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** The section "Storage notifications" of the specification. What triggers and delivers them: storage-usage.test.ts. */

let server: TestServer;
let storages = 0;
/** A storage that no other test knows. */
let storage: string;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.close());

beforeEach(() => {
  storage = `vault-${String(++storages).padStart(4, '0')}`;
});

const EVENT = '/storage/notifications/v1/event';
const EVENTS = '/storage/notifications/v1/events';
const set = (body: Record<string, unknown>, method = 'POST') => server.call(method, EVENT, { body });

const KINDS = [
  ['reaching_used_space', 'bytes'],
  ['reaching_files_quantity', 'count'],
  ['reaching_used_traffic', 'bytes'],
  ['reaching_used_requests', 'count'],
] as const;

test.each(KINDS)('%s with %s is answered as stored, with a uuid of ours', async (name, field) => {
  const created = await set({ name, storage_name: storage, bucket_name: 'photos', [field]: 10 });
  expect(created.status).toBe(200);
  expect(created.body).toEqual({
    name,
    storage_name: storage,
    bucket_name: 'photos',
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    [field]: 10,
  });
  const again = await set({ name, storage_name: storage, bucket_name: 'photos', [field]: 20 });
  expect(again.body).toEqual({ ...created.body, [field]: 20 });
  const whole = await set({ name, storage_name: storage, [field]: 30 });
  expect(whole.body).toMatchObject({ bucket_name: '', [field]: 30 });
  expect(whole.body.uuid).not.toBe(created.body.uuid);
});

test('PUT answers nothing, and finds the event by uuid or by place', async () => {
  const name = 'reaching_used_space';
  expect(await set({ name, storage_name: storage, bytes: 1 }, 'PUT')).toMatchObject({
    status: 204,
    body: '',
  });
  const { body } = await set({ name, storage_name: storage, bytes: 2 });
  expect((await set({ name, uuid: body.uuid, bytes: 3 }, 'PUT')).status).toBe(204);
  const { body: all } = await server.call('GET', EVENTS);
  const mine = all.reaching_used_space.filter(
    (event: { storage_name: string }) => event.storage_name === storage,
  );
  expect(mine).toEqual([{ uuid: body.uuid, storage_name: storage, bucket_name: '', bytes: 3 }]);
});

test('DELETE accepts a uuid or a place, and says when there is nothing to delete', async () => {
  const name = 'reaching_used_requests';
  const { body } = await set({ name, storage_name: storage, bucket_name: 'a', count: 1 });
  await set({ name, storage_name: storage, bucket_name: 'b', count: 1 });
  expect((await set({ name: 'reaching_used_space', uuid: body.uuid }, 'DELETE')).status).toBe(400);
  expect((await set({ name, uuid: body.uuid }, 'DELETE')).status).toBe(204);
  expect((await set({ name, storage_name: storage, bucket_name: 'b' }, 'DELETE')).status).toBe(204);
  const gone = await set({ name, storage_name: storage, bucket_name: 'b' }, 'DELETE');
  expect(gone).toMatchObject({
    status: 400,
    body: { error: 'There is no such reaching_used_requests event' },
  });
});

test('several events at once: those given are set, the others stay, the answer is everything', async () => {
  const kept = await set({ name: 'reaching_used_space', storage_name: storage, bytes: 1 });
  const before = (await server.call('GET', EVENTS)).body;
  const reply = await server.call('POST', EVENTS, {
    body: {
      reaching_used_space: [{ storage_name: storage, bucket_name: 'new', bytes: 7 }],
      reaching_used_requests: [{ storage_name: storage, count: 8 }],
    },
  });
  expect(reply.status).toBe(200);
  expect(Object.keys(reply.body).sort()).toEqual(KINDS.map(([name]) => name).sort());
  expect(reply.body.reaching_used_traffic).toEqual(before.reaching_used_traffic);
  expect(reply.body.reaching_used_space).toHaveLength(before.reaching_used_space.length + 1);
  expect(reply.body.reaching_used_space).toContainEqual({
    uuid: kept.body.uuid,
    storage_name: storage,
    bucket_name: '',
    bytes: 1,
  });
  expect((await server.call('GET', EVENTS)).body).toEqual(reply.body);
});

test('several events are set all or none, and every fault is named', async () => {
  const before = (await server.call('GET', EVENTS)).body;
  const unknown = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
  const shape = await server.call('POST', EVENTS, {
    body: {
      reaching_used_space: [
        { storage_name: storage, bytes: 5 },
        { bytes: 0, bucket_name: 'x' },
        { uuid: 'x', bytes: 1 },
      ],
    },
  });
  expect(shape.status).toBe(400);
  expect(Object.keys(shape.body)).toEqual(['error']);
  for (const field of ['1.bytes', '1.storage_name', '2.uuid'])
    expect(shape.body.error).toContain(`reaching_used_space.${field}`);
  const late = await server.call('POST', EVENTS, {
    body: {
      reaching_used_space: [
        { storage_name: storage, bytes: 5 },
        { uuid: unknown, bytes: 1 },
      ],
    },
  });
  expect(late.status).toBe(400);
  expect(late.body.error).toContain('reaching_used_space.1.uuid');
  expect((await server.call('GET', EVENTS)).body).toEqual(before);
});

test('faults are named in {error}', async () => {
  const faults: [Record<string, unknown>, RegExp][] = [
    [{ name: 'reaching_the_moon', storage_name: storage }, /^name: must be one of: reaching_files_quantity/],
    [{ name: 'reaching_used_space', storage_name: storage }, /^bytes: is required for reaching_used_space/],
    [{ name: 'reaching_used_space', storage_name: storage, count: 5, bytes: 1 }, /^count: does not belong/],
    [{ name: 'reaching_files_quantity', storage_name: storage, count: 0 }, /^count: must be at least 1/],
    [{ name: 'reaching_files_quantity', storage_name: storage, count: -1 }, /^count: /],
    [
      { name: 'reaching_files_quantity', storage_name: storage, count: 1.5 },
      /^count: must be a whole number/,
    ],
    [{ name: 'reaching_files_quantity', count: 1 }, /^storage_name: is required/],
    [
      { name: 'reaching_files_quantity', bucket_name: 'b', count: 1 },
      /^storage_name: is required with a bucket_name/,
    ],
    [{ name: 'reaching_used_space', uuid: 'no', bytes: 1 }, /^uuid: must be a UUID/],
    [{ storage_name: storage, bytes: 1 }, /^name: is required/],
  ];
  for (const [body, error] of faults) {
    for (const method of ['POST', 'PUT']) {
      const reply = await set(body, method);
      expect(reply.status, JSON.stringify(body)).toBe(400);
      expect(Object.keys(reply.body)).toEqual(['error']);
      expect(reply.body.error).toMatch(error);
    }
  }
});

test('an event cannot be moved to where there is one already', async () => {
  const name = 'reaching_used_space';
  await set({ name, storage_name: storage, bucket_name: 'a', bytes: 1 });
  const { body } = await set({ name, storage_name: storage, bucket_name: 'b', bytes: 1 });
  const moved = await set({ name, uuid: body.uuid, storage_name: storage, bucket_name: 'a', bytes: 1 });
  expect(moved.status).toBe(409);
  expect(Object.keys(moved.body)).toEqual(['error']);
  const free = await set({ name, uuid: body.uuid, storage_name: storage, bucket_name: 'c', bytes: 1 });
  expect(free.body).toMatchObject({ uuid: body.uuid, bucket_name: 'c' });
});

test('client_id is a query parameter: the own one, and no other', async () => {
  const body = { name: 'reaching_used_space', storage_name: storage, bytes: 1 };
  expect((await server.call('POST', `${EVENT}?client_id=1`, { body })).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    expect((await server.call(method, `${EVENT}?client_id=2`, { body })).status).toBe(404);
  }
  const several = { reaching_used_space: [{ storage_name: storage, bytes: 2 }] };
  expect((await server.call('POST', `${EVENTS}?client_id=2`, { body: several })).status).toBe(404);
  expect((await server.call('GET', `${EVENTS}?client_id=2`)).status).toBe(404);
  const { body: own } = await server.call('GET', `${EVENTS}?client_id=1`);
  expect(own.reaching_used_space).toContainEqual(
    expect.objectContaining({ storage_name: storage, bytes: 1 }),
  );
  expect((await server.call('POST', `${EVENT}?client_id=x`, { body })).status).toBe(400);
  const others = await server.call('GET', EVENTS, { as: 'other client' });
  expect(JSON.stringify(others.body)).not.toContain(storage);
});

test('401 and 403 carry detail and error', async () => {
  const body = { name: 'reaching_used_space', storage_name: storage, bytes: 1 };
  const unknown = await server.call('POST', EVENT, { body, token: 'x' });
  expect(unknown.status).toBe(401);
  expect(unknown.body).toEqual({ detail: expect.any(String), error: unknown.body.detail });
  const reader = await server.call('POST', EVENT, { body, as: 'Users' });
  expect(reader.status).toBe(403);
  expect(reader.body).toEqual({ detail: expect.any(String), error: reader.body.detail });
});

test('the configurator lists every kind with the field of its threshold', async () => {
  const { status, body } = await server.call('GET', `${EVENTS}/configurator`);
  expect(status).toBe(200);
  for (const [name, field] of KINDS) {
    const kind = body.structure.find((each: { name: string }) => each.name === name);
    expect(kind.fields[0]).toEqual({ name: field, type: 'uint64' });
  }
});
