import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../harness/mail.ts';
import { type Answer, newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { type Query, queryOf } from './database-faults.ts';

/** Usage and quotas reach their thresholds while the server is killed: right after it acknowledged what reaches them,
 *  and while it delivers. Each is sent in one mail, which may come again under its own Message-ID but is not lost. */

let dataDir: string;
let mail: MailServer;
let query: Query;
let server: VirgaProcess;
let operator: Record<string, string>;

beforeAll(async () => {
  dataDir = newDataDir();
  query = queryOf(dataDir);
  mail = await startMailServer();
  server = await start();
  const token = /^OPERATOR_TOKEN=(\S+)/m.exec(readFileSync(path.join(dataDir, 'credentials'), 'utf8'))?.[1];
  operator = { authorization: `APIKey ${token}` };
});

afterAll(async () => {
  await server.end('SIGTERM');
  await mail.close();
  removeDataDir(dataDir);
});

const start = () =>
  startVirga({ dataDir, env: { SMTP_URL: mail.url, VIRGA_TIME_SCALE: '0', VIRGA_RATE_LIMIT: '0' } });

async function killed(): Promise<void> {
  await server.end('SIGKILL');
  server = await start();
}

/** Asks until it is answered, as a storage engine does. */
async function insist(call: () => Promise<Answer>): Promise<Answer> {
  return waitUntil(call, { what: 'an answer' });
}

const report = (storage: string, id: number) =>
  server.call(
    'POST',
    `/virga/v1/clients/1/storages/${storage}/usage_reports`,
    {
      id: `report ${id}`,
      to: new Date(performance.timeOrigin + performance.now()).toISOString(),
      buckets: [{ bucket_name: 'all', used_traffic: 300 }],
    },
    operator,
  );

interface Sent {
  readonly message_id: string;
  readonly subject: string;
}

/** What the outbox holds of a kind, when all of it has been sent. */
async function sent(kind: string): Promise<Sent[]> {
  await waitUntil(
    async () => {
      const [row] = await query(
        `select (select count(*) from quota_reachings)
              + (select count(*) from mail_outbox where sent_at is null) as n`,
      );
      return Number(row?.n) === 0;
    },
    { what: 'all mail to be sent' },
  );
  return (await query(`select message_id, subject from mail_outbox where kind = '${kind}' order by id`)).map(
    (row) => ({ message_id: String(row.message_id), subject: String(row.subject) }),
  );
}

/** Message-IDs of the mails that came and whose text says this; each as often as it came. */
const cameWith = (text: string) =>
  mail.received
    .filter((each) => each.text.includes(text))
    .map((each) => /^message-id:\s*(\S+)/im.exec(each.text)?.[1] ?? 'none');

test('a report is counted once and its threshold reported once, whenever the server dies', async () => {
  const storages = Array.from({ length: 8 }, (_, i) => `chaos-${i}`);
  for (const storage_name of storages) {
    const event = { name: 'reaching_used_traffic', storage_name, bytes: 1000 };
    expect((await server.call('POST', '/storage/notifications/v1/event', event)).status).toBe(200);
  }
  for (const [i, storage] of storages.entries()) {
    // The fourth report reaches the threshold; every second time the server dies as soon as it said so.
    const sending = [1, 2, 3, 4].map((id) => insist(() => report(storage, id)));
    if (i % 4 === 1) await killed();
    const answers = await Promise.all(sending);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    if (i % 4 === 3) await killed();
    expect((await insist(() => report(storage, 4))).body).toEqual({ counted: false });
  }
  const mails = await sent('storage_threshold');
  expect(mails).toHaveLength(storages.length);
  for (const storage of storages) {
    const [written, ...more] = mails.filter(({ subject }) => subject.includes(`storage ${storage} `));
    expect(more).toEqual([]);
    expect(new Set(cameWith(`storage ${storage} `))).toEqual(new Set([written?.message_id]));
  }
  const usage = await query('select storage_name, used_traffic from storage_usage_months order by 1');
  expect(usage.map((row) => [row.storage_name, Number(row.used_traffic)])).toEqual(
    storages.map((storage) => [storage, 1200]),
  );
});

test('a quota threshold is reported once, though the server dies as soon as it is reached', async () => {
  const limits = { global_limits: { project_count_limit: 5 } };
  const path = '/virga/v1/clients/1/quotas';
  expect((await server.call('PATCH', path, limits, operator)).status).toBe(200);
  for (const name of ['two', 'three', 'four']) {
    expect((await server.call('POST', '/cloud/v1/projects', { name })).status).toBe(201);
  }
  await killed();
  const [written, ...more] = await sent('quota_threshold');
  expect(more).toEqual([]);
  expect(new Set(cameWith('projects: 4 of 5'))).toEqual(new Set([written?.message_id]));
  await killed();
  expect(await sent('quota_threshold')).toEqual([written]);
  const threshold = await server.call('GET', '/cloud/v2/client_quotas/1/notification_threshold');
  expect(threshold.body.last_sending).not.toBeNull();
  expect(threshold.body.last_message.global_quotas.project_count_usage).toEqual({ limit: 5, usage: 4 });
});
