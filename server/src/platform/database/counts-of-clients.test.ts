import { expect, test } from 'vitest';
import { startTestDb } from '../../../../test/harness/db.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { systemClock } from '../../kernel/clock.ts';
import { recordAudit } from '../audit/audit.ts';
import type { RequestContext } from '../http/context.ts';
import { counted, foldCounts, keptCountOfClient } from './kept-counts.ts';

/** Counts of lists of whole clients are right whatever happens to the rows. */

const db = shared(() =>
  startTestDb(`
    insert into clients (name, email) select 'c' || i, i || '@example.test' from generate_series(1, 3) i;
    insert into users (id, email, name) values (1, 'u@example.test', 'u')`),
);

/** Each list with a facet that narrows it, and SQL that says how many there are. */
const LISTS = [
  { of: 'projects', facets: { deleted: [false] }, where: 'deleted_at is null' },
  { of: 'sign_ins', facets: {}, where: 'true' },
  {
    of: 'webhook_deliveries',
    facets: { state: ['FAILED'], type: ['quota'] },
    where: `state = 'FAILED' and type = 'quota'`,
  },
] as const;
const OF_ALL = [{ name: 'webhook_deliveries by client', of: 'webhook_deliveries' }];

const rowsOf = async (of: string, where: string) =>
  Number((await db.pool.query(`select count(*) as n from ${of} where ${where}`)).rows[0].n);

async function compare(): Promise<void> {
  for (const { of, facets, where } of LISTS) {
    for (const client of [1, 2, 3]) {
      const resource = `${of} by client`;
      const whole = await rowsOf(of, `client_id = ${client}`);
      expect(await counted(db, keptCountOfClient(resource, client)), resource).toBe(whole);
      const some = await rowsOf(of, `client_id = ${client} and ${where}`);
      expect(await counted(db, keptCountOfClient(resource, client, facets)), resource).toBe(some);
    }
  }
  for (const { name, of } of OF_ALL) {
    expect(await counted(db, keptCountOfClient(name, 'all')), name).toBe(await rowsOf(of, 'true'));
  }
}

const STEPS = [
  `insert into projects (client_id, name, created_at) select 1 + i % 3, 'p' || i, now() from generate_series(1, 20) i`,
  `insert into sign_ins (client_id, user_id, at, ip, user_agent, is_successful) select 1 + i % 2, 1, now(), '192.0.2.1', '', true from generate_series(1, 9) i`,
  `insert into webhook_deliveries (id, event_id, client_id, url, type, data, state, next_attempt_at, created_at)
   select gen_random_uuid(), gen_random_uuid(), 1 + i % 3, '', case when i % 2 = 0 then 'quota' else 'other' end, '{}',
          'WAITING', now(), now() from generate_series(1, 12) i`,
  `update projects set deleted_at = now() where id % 4 = 0`,
  `update webhook_deliveries set state = 'FAILED' where client_id <> 2`,
  `delete from sign_ins where id % 3 = 0`,
  `delete from webhook_deliveries where type = 'other'`,
];

test('whatever is written, each count is right, before and after it is folded in', async () => {
  for (const [i, step] of STEPS.entries()) {
    await db.pool.query(`begin; ${step}; rollback`);
    await db.pool.query(step);
    if (i % 2 === 0) await foldCounts(db).run(new AbortController().signal);
    await compare();
  }
});

test('counted anew, everything is as it was', async () => {
  await db.pool.query('select recount_clients()');
  await compare();
});

const userActions = () =>
  Promise.all(
    ['user_actions by client', 'user_actions by source', 'user_actions by hour'].map((resource) =>
      counted(db, keptCountOfClient(resource, 1)),
    ),
  );

/** Totals of user actions, with what they are counted under. */
const totals = async () =>
  (
    await db.pool.query(
      `select project_id, resource, facets, count from resource_totals where resource like 'user\\_actions by %'
        order by 1, 2, 3`,
    )
  ).rows;

test('a user action is counted by the statement that records it, as counting anew counts it', async () => {
  const ctx = {
    clock: systemClock(),
    caller: { clientId: 2, userId: 1, tokenId: 1 },
    ...{ requestId: 'r', remoteAddress: '192.0.2.7', userAgent: 'program/1.0 "quoted"' },
  } as RequestContext;
  await db.transaction(async (tx) => {
    await recordAudit(tx, ctx, { action: 'create_network', subject: 'n', projectId: 1, regionId: 2 });
    await recordAudit(tx, { ...ctx, userAgent: null }, { action: 'delete_network', subject: null });
    // Nothing that users are shown.
    await recordAudit(tx, ctx, { action: 'turn_the_key', subject: 1 });
  });
  const count = () =>
    counted(db, keptCountOfClient('user_actions by client', 2, { action_type: ['create'] }));
  expect(await count()).toBe(1);
  await foldCounts(db).run(new AbortController().signal);
  expect(await count()).toBe(1);
  const kept = await totals();
  expect(kept).toHaveLength(5);
  await db.pool.query('select recount_clients()');
  expect(await totals()).toEqual(kept);
});

test('user actions of a month that is dropped are counted no longer', async () => {
  await db.pool.query(`
    select add_month_of_audit_log('2020-01-01');
    insert into audit_log (at, client_id, user_id, token_id, request_id, action, action_type, api_group, address, user_agent)
    select at::timestamptz, 1, 1, 1, '', 'a', 'create', 'network', '192.0.2.1', repeat('long ', 2000)
      from unnest(array['2020-01-07', '2020-01-08', '2021-01-01']) at`);
  expect(await userActions()).toEqual([0, 0, 0]);
  // A node of before does not count what it writes.
  await db.pool.query('select count_late_user_actions()');
  expect(await userActions()).toEqual([3, 3, 3]);
  await db.pool.query('select count_late_user_actions()');
  expect(await userActions()).toEqual([3, 3, 3]);
  await foldCounts(db).run(new AbortController().signal);
  await db.pool.query(`select drop_months_of_audit_log('2020-06-01')`);
  expect(await userActions()).toEqual([1, 1, 1]);
  await db.pool.query('select recount_clients()');
  expect(await userActions()).toEqual([1, 1, 1]);
});
