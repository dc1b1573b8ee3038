import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { OPERATING_STATUSES, ORDER_FIELDS } from './model.ts';
import { LBS } from './testing/bodies.ts';

/** Lists agree with filtering, sorting and cutting in memory. */

interface Row {
  readonly id: string;
  readonly name: string;
  readonly flavor: string | null;
  readonly operating_status: string;
  readonly provisioning_status: string;
  readonly vip_address: string | null;
  readonly vip_ip_family: string | null;
  readonly tags: Record<string, string>;
  readonly logging_enabled: boolean;
  readonly assigned_floating: boolean;
  readonly created_at: string;
  readonly updated_at: string | null;
}

/** Microseconds within one second: the wire shows the same second for all of them. */
const micros = fc
  .integer({ min: 0, max: 20 })
  .map((n) => `2026-01-31T12:00:00.0000${String(n).padStart(2, '0')}Z`);
const octet = fc.constantFrom(1, 2, 9, 10, 100, 200);
const address = fc.tuple(octet, octet).map(([a, b]) => `10.0.${a}.${b}`);
const tagKey = fc.constantFrom('team', 'env', '__proto__', 'ключ');
const tagValue = fc.constantFrom('a', 'b', "it's", '"quoted" {json}');
const tagsWith = (key: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(key, tagValue), { maxLength: 3 })
    .map((pairs) => Object.fromEntries(pairs) as Record<string, string>);
const tags = tagsWith(tagKey);
/** JSON with a key `__proto__` is refused wherever it is read. */
const requestedTags = tagsWith(tagKey.filter((key) => key !== '__proto__'));

const row: fc.Arbitrary<Row> = fc
  .record({
    id: fc.uuid({ version: 4 }),
    name: fc.constantFrom('web', 'Web', 'api 1', 'api_2', 'api.3', 'zeta'),
    flavor: fc.option(fc.constantFrom('lb1-2-4', 'lb1-4-8')),
    operating_status: fc.constantFrom(...OPERATING_STATUSES),
    provisioning_status: fc.constantFrom('ACTIVE', 'ERROR', 'PENDING_UPDATE'),
    vip_address: fc.option(address),
    tags,
    logging_enabled: fc.boolean(),
    assigned_floating: fc.boolean(),
    created_at: micros,
    updated_at: fc.option(micros),
  })
  .map((r) => ({ ...r, vip_ip_family: r.vip_address && 'ipv4' }));

const rows = fc.uniqueArray(row, { selector: (r) => r.id, maxLength: 25 }).map((all) => {
  const seen = new Set<string>();
  return all.map((r) => {
    if (r.vip_address === null || !seen.has(r.vip_address)) {
      seen.add(r.vip_address ?? '');
      return r;
    }
    return { ...r, vip_address: null, vip_ip_family: null };
  });
});

/** Mostly absent, so that most queries match something. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const order = fc
  .tuple(fc.constantFrom(...ORDER_FIELDS), fc.constantFrom('asc', 'desc'))
  .map(([field, direction]) => `${field}.${direction}`);

const query = fc.record({
  name: seldom(fc.constantFrom('web', 'api_2', '%')),
  operating_status: seldom(fc.constantFrom(...OPERATING_STATUSES)),
  provisioning_status: seldom(fc.constantFrom('ACTIVE', 'ERROR', 'DELETED')),
  logging_enabled: seldom(fc.boolean()),
  assigned_floating: seldom(fc.boolean()),
  tag_key: seldom(fc.uniqueArray(tagKey, { maxLength: 2 })),
  tag_key_value: seldom(requestedTags),
  order_by: fc.option(order, { nil: undefined, freq: 10 }),
  limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  offset: seldom(fc.integer({ min: 0, max: 30 })),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

function matches(r: Row, q: Query): boolean {
  return (
    (q.name === undefined || r.name === q.name) &&
    (q.operating_status === undefined || r.operating_status === q.operating_status) &&
    (q.provisioning_status === undefined || r.provisioning_status === q.provisioning_status) &&
    (q.logging_enabled === undefined || r.logging_enabled === q.logging_enabled) &&
    (q.assigned_floating === undefined || r.assigned_floating === q.assigned_floating) &&
    (q.tag_key ?? []).every((key) => Object.hasOwn(r.tags, key)) &&
    Object.entries(q.tag_key_value ?? {}).every(
      ([key, value]) => Object.hasOwn(r.tags, key) && r.tags[key] === value,
    )
  );
}

const sortable = (field: string, value: string) =>
  field === 'vip_address'
    ? value
        .split('.')
        .map((n) => n.padStart(3, '0'))
        .join('.')
    : value;

/** By the key, above which is what has none, then by id; all in the direction asked for. */
function expected(all: readonly Row[], q: Query): { count: number; ids: string[] } {
  const [field = '', direction] = (q.order_by ?? 'created_at.desc').split('.');
  const sign = direction === 'asc' ? 1 : -1;
  const keyOf = (r: Row) => r[field as keyof Row] as string | null;
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const found = all
    .filter((r) => matches(r, q))
    .sort((a, b) => {
      const [x, y] = [keyOf(a), keyOf(b)];
      if (x === null || y === null) {
        return sign * (Number(x === null) - Number(y === null) || compare(a.id, b.id));
      }
      return sign * (compare(sortable(field, x), sortable(field, y)) || compare(a.id, b.id));
    });
  const { offset = 0, limit = 1000 } = q;
  return { count: found.length, ids: found.slice(offset, offset + limit).map(({ id }) => id) };
}

function toSearch(q: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(q)) {
    if (value === undefined) continue;
    if (name === 'tag_key') for (const key of value as string[]) search.append(name, key);
    else search.append(name, name === 'tag_key_value' ? JSON.stringify(value) : String(value));
  }
  return search.toString();
}

const server = shared(() => startTestServer({ worker: false }));

async function store(all: readonly Row[]): Promise<void> {
  await server.db.transaction(async (tx) => {
    await tx.run(sql`delete from load_balancers`);
    const stored = all.map((r) => ({
      ...r,
      tags: Object.fromEntries(
        Object.entries(r.tags).map(([key, value]) => [key, { value, read_only: false }]),
      ),
    }));
    await tx.run(sql`insert into load_balancers (id, project_id, region_id, client_id, name, flavor, operating_status,
         provisioning_status, vip_address, vip_ip_family, tags, logging_enabled, assigned_floating, created_at, updated_at)
       select id, 1, 2, 1, name, flavor, operating_status, provisioning_status, vip_address, vip_ip_family, tags,
         logging_enabled, assigned_floating, created_at, updated_at
         from jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as r (id uuid, name text, flavor text, operating_status text,
           provisioning_status text, vip_address inet, vip_ip_family text, tags jsonb, logging_enabled boolean,
           assigned_floating boolean, created_at timestamptz, updated_at timestamptz)`);
  });
}

test('every filter, order and page gives what filtering, sorting and cutting in memory gives', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.array(query, { minLength: 8, maxLength: 8 }), async (all, queries) => {
      await store(all);
      for (const q of queries) {
        const { status, body } = await server.call('GET', `${LBS}?${toSearch(q)}`);
        expect(status).toBe(200);
        const ids = body.results.map((result: { id: string }) => result.id);
        expect({ count: body.count, ids }).toEqual(expected(all, q));
      }
    }),
    { numRuns: 60 },
  );
});

test('listeners and counters come along, whether there are any or not', async () => {
  const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  const base = {
    name: 'web',
    flavor: null,
    operating_status: 'ONLINE',
    provisioning_status: 'ACTIVE',
    vip_address: null,
    vip_ip_family: null,
    tags: {},
    logging_enabled: false,
    assigned_floating: false,
    created_at: '2026-01-31T12:00:00.000001Z',
    updated_at: null,
  };
  await store([first, second].map((id) => ({ ...base, id })));
  const listeners = [1, 2].map((n) => `00000000-0000-4000-8000-00000000001${n}`);
  await server.db.run(sql`with l as (
       insert into lb_listeners (id, load_balancer_id, project_id, region_id, name, protocol, protocol_port,
         provisioning_status, operating_status, created_at)
       select u.id, ${first}, 1, 2, 'l', 'TCP', u.n, 'ACTIVE', 'ONLINE', now() from unnest(${listeners}::uuid[]) with ordinality u (id, n)
       returning id)
     insert into lb_listener_stats select id, ${first}, 1, 20, 300, 4, 50 from l`);
  const { body } = await server.call('GET', `${LBS}?order_by=name.asc&show_stats=true`);
  expect(body.results.map((r: { listeners: unknown; stats: unknown }) => [r.listeners, r.stats])).toEqual([
    [
      listeners.map((id) => ({ id })),
      { active_connections: 2, bytes_in: 40, bytes_out: 600, request_errors: 8, total_connections: 100 },
    ],
    [[], { active_connections: 0, bytes_in: 0, bytes_out: 0, request_errors: 0, total_connections: 0 }],
  ]);
  const plain = await server.call('GET', LBS);
  expect(plain.body.results[0].stats).toBeNull();
});

test.each([
  ['order_by=size.asc', 'order_by'],
  ['order_by=name', 'order_by'],
  ['operating_status=FINE', 'operating_status'],
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['offset=-1', 'offset'],
  ['show_stats=perhaps', 'show_stats'],
  ['tag_key=a%20b', 'tag_key.0'],
  ['tag_key=ok&tag_key=%20', 'tag_key.1'],
  ['tag_key_value=%7B', 'tag_key_value'],
  ['tag_key_value=%5B%5D', 'tag_key_value'],
  ['tag_key_value=null', 'tag_key_value'],
  ['tag_key_value=%7B%22a%22%3A1%7D', 'tag_key_value.a'],
  ['tag_key_value=%7B%22a%22%3A%22%22%7D', 'tag_key_value.a'],
  ['tag_key_value=%7B%22a%22%3A%22%5Cu0000%22%7D', 'tag_key_value.a'],
  ['name=%00', 'name'],
])('%s is refused, naming the field', async (search, field) => {
  const { status, body } = await server.call('GET', `${LBS}?${search}`);
  expect(status).toBe(400);
  expect(Object.keys(body.invalid_fields)).toEqual([field]);
});

test('tags are stripped before they are looked for', async () => {
  await store([]);
  const { status } = await server.call(
    'GET',
    `${LBS}?tag_key=%20team%20&tag_key_value=%7B%22%20a%20%22%3A%22%20b%20%22%7D`,
  );
  expect(status).toBe(200);
});
