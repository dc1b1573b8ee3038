import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import type { MailSentHook } from '../../platform/mail/mailer.ts';
import { queueMail } from '../../platform/mail/outbox.ts';
import { DEFAULT_THRESHOLD, DEPRECATED_REGIONAL_NAME, GLOBAL_REGION } from './model.ts';
import type { ThresholdMessage } from './schema.ts';
import { quotaWords } from './words.ts';

/** Notifies clients by mail that they have reached the threshold of a quota. The database notes each reaching in
 *  the transaction that causes it; here those notes become mail, each in one transaction. */

export const QUOTA_MAIL = 'quota_threshold';

export interface NotificationOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sendsMail: boolean;
}

export function quotaNotifications(options: NotificationOptions): BackgroundJob {
  return {
    name: 'quota notifications',
    everyMs: 250,
    exclusive: true,
    run: async () => {
      const waiting = await options.db.rows<{ client_id: number }>(
        sql`select distinct client_id from quota_reachings order by client_id`,
      );
      for (const { client_id } of waiting) await notify(options, client_id);
    },
  };
}

interface Reaching {
  readonly region_id: number;
  readonly region_name: string | null;
  readonly name: string;
  readonly usage: number;
  readonly quota_limit: number;
  readonly threshold: number;
}

/** One mail for all that a client has reached since the last look. */
async function notify({ db, clock, ids, sendsMail }: NotificationOptions, clientId: number): Promise<void> {
  await db.transaction(async (tx) => {
    const reached =
      await tx.rows<Reaching>(sql`with reached as (delete from quota_reachings where client_id = ${clientId} returning *)
       select t.region_id, r.display_name as region_name, t.name, t.usage, t.quota_limit, t.threshold
         from reached t left join regions r on r.id = t.region_id where t.name <> ${DEPRECATED_REGIONAL_NAME} order by t.id`);
    const [first] = reached;
    if (!first) return;
    const [client] = await tx.rows<{ email: string; name: string }>(
      sql`select email, name from clients where id = ${clientId}`,
    );
    if (!client) return;
    const timestamp = clock.timestamp();
    const message = messageOf(reached);
    await queueMail(tx, {
      clientId,
      kind: QUOTA_MAIL,
      recipient: client.email,
      subject: `Quota usage of ${client.name} has reached ${first.threshold} %`,
      body: textOf(client.name, reached),
      details: { message },
      shownTo: { db, clientId },
      messageId: `<quota-${ids.uuid()}@virga.internal>`,
      timestamp,
    });
    if (!sendsMail) await recordSending(tx, clientId, message, timestamp);
  });
}

/** What the threshold's `last_message` shows: limit and usage of each quota that was reached. */
function messageOf(reachings: readonly Reaching[]): ThresholdMessage {
  const message: ThresholdMessage = { global_quotas: {}, regional_quotas: [] };
  for (const { region_id, region_name, name, usage, quota_limit } of reachings) {
    const pair = { limit: quota_limit, usage };
    const both = { [`${name}_limit`]: pair, [`${name}_usage`]: pair };
    if (region_id === GLOBAL_REGION) {
      Object.assign(message.global_quotas, both);
      continue;
    }
    const known = message.regional_quotas.find((region) => region.region_id === region_id);
    if (known) Object.assign(known, both);
    else message.regional_quotas.push({ region_id, region_name: region_name ?? '', ...both });
  }
  return message;
}

function textOf(client: string, reachings: readonly Reaching[]): string {
  const lines = reachings.map(({ region_name, name, usage, quota_limit }) => {
    const percent = quota_limit === 0 ? 100 : Math.floor((usage / quota_limit) * 100);
    return `  ${quotaWords(name)}${region_name ? ` in ${region_name}` : ''}: ${usage} of ${quota_limit} (${percent} %)`;
  });
  return [
    `The account ${client} has reached the notification threshold of these quotas:`,
    '',
    ...lines,
    '',
    'Delete what is no longer needed, or ask for higher limits: in the portal under Quotas, or with POST /cloud/v2/limits_request.',
    '',
  ].join('\n');
}

export const noteSent: MailSentHook = async (tx, mail, timestamp) => {
  if (mail.client_id === null) return;
  await recordSending(tx, mail.client_id, mail.details.message as ThresholdMessage, timestamp);
};

async function recordSending(
  tx: Tx,
  clientId: number,
  message: ThresholdMessage,
  timestamp: string,
): Promise<void> {
  await tx.run(sql`insert into quota_thresholds (client_id, threshold, last_message, last_sending) values (${clientId}, ${DEFAULT_THRESHOLD}, ${JSON.stringify(message)}, ${timestamp})
     on conflict (client_id) do update set last_message = excluded.last_message, last_sending = excluded.last_sending`);
}
