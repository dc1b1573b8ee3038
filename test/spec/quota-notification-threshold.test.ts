import { beforeEach, describe, expect, test } from 'vitest';
import type { QuotaName } from '../../server/src/features/quotas/model.ts';
import { readQuotas, release, reserve, setLimits } from '../../server/src/features/quotas/store.ts';
import type { Db } from '../../server/src/platform/database/db.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { startMailServer } from '../harness/mail.ts';
import { faultsOf } from '../harness/project.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** The threshold: 60 to 100 percent inclusive, default 80; when usage reaches it, a warning goes to the client. */

const mail = shared(startMailServer);
const server = shared(() => startTestServer({ smtpUrl: mail.url }));

const PATH = '/cloud/v2/client_quotas/1/notification_threshold';
const put = (body: object) => server.call('PUT', PATH, { body });
const read = async () => (await server.call('GET', PATH)).body;

describe('the call', () => {
  beforeEach(async () => {
    await server.call('DELETE', PATH);
  });

  test('reads 80, no message and no sending as long as nothing was set', async () => {
    expect(await read()).toEqual({ client_id: 1, threshold: 80, last_message: null, last_sending: null });
  });

  test.each([60, 61, 80, 99, 100])('stores %i', async (threshold) => {
    expect(await put({ threshold })).toMatchObject({ status: 200, body: { client_id: 1, threshold } });
    expect((await read()).threshold).toBe(threshold);
  });

  test.each([59, 101, 0, -1, 80.5, 'eighty', null])('refuses %j and changes nothing', async (threshold) => {
    await put({ threshold: 70 });
    const reply = await put({ threshold });
    expect(await faultsOf(reply)).toEqual(['threshold']);
    expect((await read()).threshold).toBe(70);
  });

  test.each(['', 'yesterday', 1])('refuses %j as last_sending and changes nothing', async (last_sending) => {
    await put({ threshold: 70 });
    const reply = await put({ threshold: 75, last_sending });
    expect(await faultsOf(reply)).toEqual(['last_sending']);
    expect((await read()).threshold).toBe(70);
  });

  test('needs a threshold', async () => {
    expect((await put({})).body.invalid_fields).toEqual({ threshold: ['is required'] });
  });

  test('stores last_message and last_sending as sent, and keeps them when they are left out', async () => {
    const last_message = {
      global_quotas: {
        project_count_limit: { limit: 10, usage: 8 },
        project_count_usage: { limit: 10, usage: 8 },
      },
      regional_quotas: [{ region_id: 2, region_name: 'Simulated', vm_count_usage: { limit: 5, usage: 4 } }],
    };
    await put({ threshold: 90, last_message, last_sending: '2026-01-31T12:00:00+0000' });
    const stored = { threshold: 90, last_message, last_sending: '2026-01-31T12:00:00+0000' };
    expect(await read()).toEqual({ client_id: 1, ...stored });
    await put({ threshold: 91 });
    expect(await read()).toEqual({ client_id: 1, ...stored, threshold: 91 });
    await put({ threshold: 91, last_message: null, last_sending: null });
    expect(await read()).toMatchObject({ last_message: null, last_sending: null });
  });

  test('accepts a region with its id and name alone, and wants both', async () => {
    const message = (region: object) => ({ global_quotas: {}, regional_quotas: [region] });
    const good = await put({ threshold: 80, last_message: message({ region_id: 1, region_name: 'Local' }) });
    expect(good.status).toBe(200);
    const bad = await put({ threshold: 80, last_message: message({ region_id: 1 }) });
    expect(bad.status).toBe(400);
  });

  test('DELETE answers 204 and goes back to 80, also twice', async () => {
    await put({ threshold: 66, last_sending: '2026-01-31T12:00:00Z' });
    for (let i = 0; i < 2; i++) expect((await server.call('DELETE', PATH)).status).toBe(204);
    expect(await read()).toMatchObject({ threshold: 80, last_sending: null });
  });

  test('concerns one client, and changes are for administrators', async () => {
    const foreign = PATH.replace('/1/', '/2/');
    expect((await server.call('GET', foreign)).status).toBe(404);
    expect((await server.call('PUT', foreign, { body: { threshold: 70 } })).status).toBe(404);
    expect((await server.call('PUT', PATH, { as: 'Engineers', body: { threshold: 70 } })).status).toBe(403);
    expect((await server.call('GET', PATH, { as: 'Users' })).status).toBe(200);
  });
});

/** Lets a region use so much of a quota. */
const useQuota = (db: Db, regionId: number, name: QuotaName, usage: number, limit: number) =>
  db.transaction(async (tx) => {
    const scope = { clientId: 1, regionId };
    const { [name]: now } = await readQuotas(tx, scope, [name]);
    await release(tx, scope, { [name]: now.usage - usage });
    await setLimits(tx, scope, { [name]: limit });
    await reserve(tx, scope, { [name]: usage - now.usage });
  });

describe('a mail', () => {
  /** Each test has a counter of its own: volumes in a region of its own. */
  let region = 100;

  beforeEach(async () => {
    region += 1;
    await server.call('DELETE', PATH);
    await server.db.run(sql`delete from quota_counters where client_id = 1`);
    await settled();
  });

  const use = (usage: number, limit = 10) => useQuota(server.db, region, 'volume_count', usage, limit);

  /** Waits until every reaching has become mail and every mail has been sent, and returns how many there are. */
  const settled = () =>
    waitUntil(
      async () => {
        const [row] = await server.db.rows<{ open: number }>(sql`select (select count(*) from quota_reachings)
                + (select count(*) from mail_outbox where sent_at is null and failed_at is null) as open`);
        return row?.open === 0 ? { mails: mail.received.length } : undefined;
      },
      { what: 'all mail to be sent' },
    );

  const during = async (work: () => Promise<unknown>) => {
    const before = (await settled()).mails;
    await work();
    return (await settled()).mails - before;
  };

  test('goes out at 80 percent exactly, not at 79', async () => {
    expect(await during(() => use(79, 100))).toBe(0);
    expect(await during(() => use(80, 100))).toBe(1);
    const last = mail.received.at(-1);
    expect(last?.to).toEqual(['one@virga.test']);
    expect(last?.text).toContain('volumes');
    expect(last?.text).toContain('80 of 100 (80 %)');
  });

  test.each([
    [60, 59, 60],
    [100, 99, 100],
  ])('with the threshold %i goes out not at %i but at %i of 100', async (threshold, below, at) => {
    await put({ threshold });
    expect(await during(() => use(below, 100))).toBe(0);
    expect(await during(() => use(at, 100))).toBe(1);
  });

  test('is one, however far usage goes on rising', async () => {
    expect(await during(() => use(8))).toBe(1);
    expect(
      await during(async () => {
        await use(9);
        await use(10);
        await use(8);
      }),
    ).toBe(0);
  });

  test('goes out again after usage fell below and rose again', async () => {
    expect(await during(() => use(8))).toBe(1);
    expect(await during(() => use(7))).toBe(0);
    expect(await during(() => use(8))).toBe(1);
  });

  test('goes out again when the threshold changed, and not when it is set to what it was', async () => {
    expect(await during(() => use(9))).toBe(1);
    expect(await during(() => put({ threshold: 80 }))).toBe(0);
    expect(await during(() => put({ threshold: 85 }))).toBe(1);
    expect(await during(() => put({ threshold: 95 }))).toBe(0);
    expect(await during(() => server.call('DELETE', PATH))).toBe(1);
  });

  test('goes out when the limit is lowered to where usage is', async () => {
    expect(await during(() => use(5, 100))).toBe(0);
    expect(await during(() => use(5, 6))).toBe(1);
  });

  test('comes once from real creates, and records when and what', async () => {
    const used = await server.call('PATCH', '/virga/v1/clients/1/quotas', {
      as: 'operator',
      body: { global_limits: { project_count_limit: 5 } },
    });
    expect(used.status).toBe(200);
    const create = (name: string) => server.call('POST', '/cloud/v1/projects', { body: { name } });
    expect(await during(() => Promise.all(['aa1', 'aa2', 'aa3'].map(create)))).toBe(0);
    const before = server.clock.now().getTime() - 1000;
    expect(await during(() => create('aa4'))).toBe(1);
    const { last_message, last_sending, threshold } = await read();
    const pair = { limit: 5, usage: 4 };
    expect(threshold).toBe(80);
    expect(last_message).toEqual({
      global_quotas: { project_count_limit: pair, project_count_usage: pair },
      regional_quotas: [],
    });
    expect(Date.parse(last_sending)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
  });

  test('overwrites the last_message that a PUT stored', async () => {
    await put({
      threshold: 80,
      last_message: { global_quotas: {}, regional_quotas: [] },
      last_sending: null,
    });
    region = 2;
    expect(await during(() => use(10))).toBe(1);
    const { last_message } = await read();
    const pair = { limit: 10, usage: 10 };
    expect(last_message.regional_quotas).toEqual([
      { region_id: 2, region_name: 'Simulated', volume_count_limit: pair, volume_count_usage: pair },
    ]);
    region = 200;
  });

  test('that the server puts off is tried again under the same Message-ID, and is sent once', async () => {
    const before = mail.received.length;
    mail.refuse(451);
    await use(8);
    const attempt = await waitUntil(
      async () => {
        const [row] = await server.db.rows<{ message_id: string; attempts: number }>(
          sql`select message_id, attempts from mail_outbox where sent_at is null order by id desc limit 1`,
        );
        return row && row.attempts > 0 ? row : undefined;
      },
      { what: 'the first attempt' },
    );
    expect((await read()).last_sending).toBeNull();
    mail.refuse(undefined);
    await settled();
    expect(mail.received.length).toBe(before + 1);
    expect(mail.received.at(-1)?.text).toContain(attempt.message_id);
    expect((await read()).last_sending).not.toBeNull();
  });

  test('that the server refuses for good is given up, and the outbox says why', async () => {
    mail.refuse(550);
    expect(await during(() => use(8))).toBe(0);
    mail.refuse(undefined);
    const [row] = await server.db.rows<{ error: string; attempts: number }>(
      sql`select error, attempts from mail_outbox where failed_at is not null order by id desc limit 1`,
    );
    expect(row).toMatchObject({ attempts: 1, error: expect.stringContaining('not now') });
  });
});

describe('across restarts', () => {
  test('what was reached before is reported once after it, and not again as long as it stays so', async () => {
    const inbox = await startMailServer();
    const restarted = await startTestServer({ smtpUrl: inbox.url });
    const restart = async () => {
      await restarted.restart();
      await waitUntil(
        async () => {
          const [row] = await restarted.db.rows<{
            open: number;
          }>(sql`select (select count(*) from quota_reachings)
                  + (select count(*) from mail_outbox where sent_at is null and failed_at is null) as open`);
          return row?.open === 0 || undefined;
        },
        { what: 'all mail to be sent' },
      );
    };
    try {
      // The first life ends before it can do anything about it.
      await restarted.app.background.stop();
      const limit = { global_limits: { project_count_limit: 1 } };
      await restarted.call('PATCH', '/virga/v1/clients/1/quotas', { as: 'operator', body: limit });
      const body = { name: 'the last one' };
      expect((await restarted.call('POST', '/cloud/v1/projects', { body })).status).toBe(201);
      expect(inbox.received).toHaveLength(0);
      await restart();
      expect(inbox.received.map(({ text }) => text)).toEqual([expect.stringContaining('1 of 1 (100 %)')]);
      await restart();
      expect((await restarted.call('GET', PATH)).body.last_sending).not.toBeNull();
      expect(inbox.received).toHaveLength(1);
    } finally {
      await restarted.close();
      await inbox.close();
    }
  });
});

describe('without an SMTP server', () => {
  test('the mail is in the outbox, and that counts as sending', async () => {
    const lonely = await startTestServer();
    try {
      await useQuota(lonely.db, 2, 'ram', 80, 100);
      await waitUntil(async () => (await lonely.call('GET', PATH)).body.last_sending !== null, {
        what: 'the sending to be recorded',
      });
      const rows = await lonely.db.rows<{ recipient: string; body: string; sent_at: Date | null }>(
        sql`select recipient, body, sent_at from mail_outbox`,
      );
      expect(rows).toEqual([
        {
          recipient: 'one@virga.test',
          body: expect.stringContaining('memory in MiB in Simulated: 80 of 100'),
          sent_at: null,
        },
      ]);
    } finally {
      await lonely.close();
    }
  });
});
