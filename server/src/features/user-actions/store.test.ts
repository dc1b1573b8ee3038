import { expect, test } from 'vitest';
import { startTestDb } from '../../../../test/harness/db.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { delivered, readDeliveredAction } from './store.ts';

const db = shared(startTestDb);

test('the action of a delivery is found by an index, however many actions there are', async () => {
  await db.pool.query(`
    insert into clients (id, name, email) values (1, 'c', 'c@example.test');
    insert into users (id, email, name) values (1, 'u@example.test', 'u');
    insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject_name, action_type, api_group,
                           resource_type)
    select '2026-01-01'::timestamptz + i * interval '1 second', 1, 1, 1, 'r', 'create_network', 'network ' || i, 'create',
           'network', 'network'
      from generate_series(1, 5000) i;
    insert into webhook_deliveries (id, event_id, client_id, url, type, data, audit_id, next_attempt_at, created_at)
    select gen_random_uuid(), gen_random_uuid(), 1, 'http://127.0.0.1/', 'user_action', '{}', id, at, at
      from audit_log where subject_name in ('network 77', 'network 4000');
    analyze audit_log, webhook_deliveries`);
  const deliveries = await db.pool.query<{ id: string }>(
    'select id from webhook_deliveries order by created_at',
  );
  const named = await Promise.all(deliveries.rows.map(({ id }) => readDeliveredAction(db, id)));
  expect(named.map((action) => action?.subject_name)).toEqual(['network 77', 'network 4000']);
  const { rows } = await db.pool.query(`explain ${delivered('').text.replace('$1', 'gen_random_uuid()')}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // Parts of the log without entries are scanned at no cost.
  const [part] = (await db.pool.query('select distinct tableoid::regclass::text as name from audit_log'))
    .rows;
  expect(plan).toContain(`on ${part.name} `);
  expect(plan).not.toContain(`Seq Scan on ${part.name} `);
});
