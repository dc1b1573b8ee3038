import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../../platform/database/db.ts';
import { decideRequest, deleteRequest, insertRequest } from './limits-request-store.ts';
import { listLimitsRequests } from './limits-requests.ts';
import type { LimitsRequestQuery } from './schema.ts';

/** Lists of requests for limits have what their filters say. */

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 2 });
  await db.pool.query(
    `insert into clients (id, name, email) select i, 'c' || i, i || '@example.test' from generate_series(1, 2) i`,
  );
});

afterAll(async () => {
  await db?.close();
  await database?.drop();
});

/** Moments around whole hours. */
const BEGIN = Date.parse('2026-03-01T00:00:00Z');
const moment = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom(-1, 0, 1, 1_800_000))
  .map(([hours, ms]) => new Date(BEGIN + hours * 3_600_000 + ms).toISOString());
const ALL = { limit: 1000, offset: 0 };
const STATES = ['in progress', 'done', 'rejected'] as const;
const request = fc.record({
  client: fc.constantFrom(1, 2),
  at: moment,
  status: fc.constantFrom(...STATES),
  // What happens to it after it was counted.
  later: fc.constantFrom('done', 'rejected', 'withdrawn', undefined),
});
const requestOf = (clientId: number, createdAt: string) => ({
  clientId,
  createdAt,
  userId: 1,
  description: '',
  requested_limits: {},
});
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const query = fc.record({
  client: maybe(fc.constantFrom(1, 2)),
  from: maybe(moment),
  to: maybe(moment),
  status: maybe(fc.subarray([...STATES])),
  someIds: fc.boolean(),
});

test('whatever is asked and decided, the page and the count are those of the requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { maxLength: 12 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      async (requests, queries) => {
        await db.pool.query('delete from limits_requests');
        const rows: { id: number; client: number; at: string; status: string }[] = [];
        for (const { client, at, status } of requests) {
          const { id } = await insertRequest(db, requestOf(client, at));
          if (status !== 'in progress') await decideRequest(db, id, { status, decidedAt: at });
          rows.push({ id, client, at, status });
        }
        const left: typeof rows = [];
        for (const [i, { later }] of requests.entries()) {
          const row = rows[i];
          if (row === undefined) continue;
          if (later === 'withdrawn') await deleteRequest(db, row.id);
          else left.push({ ...row, status: later ?? row.status });
          if (later !== undefined && later !== 'withdrawn')
            await decideRequest(db, row.id, { status: later, decidedAt: row.at });
        }
        for (const { client, from, to, status, someIds } of queries) {
          const ids = someIds ? [...left.slice(0, 2).map(({ id }) => id), 0] : undefined;
          const expected = left
            .filter(
              (one) =>
                (client === undefined || one.client === client) &&
                (from === undefined || one.at >= from) &&
                (to === undefined || one.at <= to) &&
                (status === undefined || (status as string[]).includes(one.status)) &&
                (ids === undefined || ids.includes(one.id)),
            )
            .sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id)
            .map(({ id }) => id);
          const requested = { ...ALL, created_from: from, created_to: to, request_ids: ids, status };
          const found = await listLimitsRequests(db, client, requested as LimitsRequestQuery);
          expect([found.count, found.results.map(({ id }) => id)]).toEqual([expected.length, expected]);
        }
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});
