import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { keepNotification } from '../../platform/notifications/notifications.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { callWebhook, TargetRefused } from './call.ts';
import { isLast, KEPT_DAYS } from './model.ts';
import type { AllowedNetworks } from './reach.ts';
import * as store from './store.ts';

export interface DelivererOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cipher: Cipher;
  /** Networks off the internet in which subscribers may be. */
  readonly allowedNetworks: AllowedNetworks;
  /** What a delivery sends to subscribers. */
  readonly userAction: (db: Queryable, deliveryId: string) => Promise<object>;
}

/** How many are sent at the same time, and how many of them to one target. */
const SIDE_BY_SIDE = 16;
const TO_ONE_TARGET = 8;
/** From then on an attempt takes no place of others: its target, which may never answer, gets no more until it has. */
const SLOW_MS = 500;
/** Each keeps a connection. */
const MOST_OPEN = 256;
const GONE = 410;
const ENDED = 'the target answered 410: it takes nothing any more';
/** While some are sent, others may become due. */
const LOOK_EVERY_MS = 250;

interface Attempt {
  readonly target: number | null;
  readonly since: number;
}

/** Sends what waits. An attempt is written down before it is made: a crash repeats it later, with the same id. */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const open = new Map<Promise<void>, Attempt>();
    do {
      for (const delivery of signal.aborted ? [] : await this.#claim([...open.values()])) {
        const attempt = this.#attempt(delivery).finally(() => open.delete(attempt));
        open.set(attempt, { target: delivery.target_id, since: performance.now() });
      }
      if (open.size > 0) await Promise.race([...open.keys(), delay(LOOK_EVERY_MS)]);
    } while (open.size > 0);
  }

  async #claim(open: readonly Attempt[]): Promise<readonly store.ClaimedDelivery[]> {
    const { db, clock } = this.#options;
    const isSlow = ({ since }: Attempt) => performance.now() - since > SLOW_MS;
    const quick = open.filter((attempt) => !isSlow(attempt));
    const most = Math.min(SIDE_BY_SIDE - quick.length, MOST_OPEN - open.length);
    if (most <= 0) return [];
    const isBusy = (target: number | null) =>
      quick.filter((each) => each.target === target).length >= TO_ONE_TARGET;
    const except = open.filter((each) => isSlow(each) || isBusy(each.target)).map(({ target }) => target);
    return store.claimDue(db, {
      now: clock.now(),
      most,
      mostOfOne: TO_ONE_TARGET,
      except: [...new Set(except)],
    });
  }

  async forgetOld(): Promise<void> {
    const { db, clock } = this.#options;
    await store.deleteEnded(db, new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000));
  }

  async #attempt(delivery: store.ClaimedDelivery): Promise<void> {
    const { db, clock, log } = this.#options;
    try {
      await this.#send(delivery);
      await store.closeAttempt(db, delivery, { state: 'DELIVERED', error: null, now: clock.now() });
    } catch (error) {
      if (error instanceof TargetRefused && error.status === GONE) return this.#endTarget(delivery);
      const message = messageOf(error);
      const last = isLast(delivery.attempts);
      log[last ? 'error' : 'warn'](
        { delivery: delivery.id, target: delivery.target_id, attempt: delivery.attempts },
        `a webhook could not be delivered${last ? ' and is given up' : ''}: ${message}`,
      );
      const end = {
        state: last ? ('FAILED' as const) : ('WAITING' as const),
        error: message.slice(0, 500),
        now: clock.now(),
        notBefore: error instanceof TargetRefused ? error.notBefore : undefined,
      };
      if (!last) return store.closeAttempt(db, delivery, end);
      await db.transaction(async (tx) => {
        await store.closeAttempt(tx, delivery, end);
        await this.#notify(tx, delivery, `Deliveries to ${delivery.url} are given up: ${end.error}`);
      });
    }
  }

  /** Notifies administrators of what becomes of an address of theirs; those of operators are not theirs. */
  async #notify(tx: Tx, delivery: store.ClaimedDelivery, subject: string): Promise<void> {
    const { db, clock } = this.#options;
    const { client_id: clientId, target_id: target, auth_header_name: header } = delivery;
    if (header === null) return;
    await keepNotification(tx, {
      to: { db, clientId, administrators: true },
      kind: 'webhook_failed',
      means: 'webhook',
      subject,
      body: null,
      source: `webhook_targets/${target}`,
      timestamp: clock.timestamp(),
    });
  }

  /** The target says that it is not there any more, and will not be again. */
  async #endTarget(delivery: store.ClaimedDelivery): Promise<void> {
    const { id, target_id: target } = delivery;
    const { db, clock, log } = this.#options;
    log.warn({ delivery: id, target }, `a webhook target has ended: ${ENDED}`);
    if (target === null) return;
    await db.transaction(async (tx) => {
      await store.endTarget(tx, target, { reason: ENDED, now: clock.now() });
      await this.#notify(tx, delivery, `${delivery.url} answered 410, and gets nothing any more`);
    });
  }

  async #send(delivery: store.ClaimedDelivery): Promise<void> {
    const { db, clock, allowedNetworks, userAction } = this.#options;
    const { id, type, created_at, url, event_id, auth_header_name: header } = delivery;
    const call = (data: unknown) => ({
      url,
      id: event_id,
      now: clock.now(),
      body: JSON.stringify({ type, timestamp: created_at.toISOString(), data }),
    });
    const secrets = this.#secretsOf(delivery);
    if (header === null) return callWebhook({ ...call(delivery.data), by: { secrets } });
    const [value = ''] = secrets;
    const request = call(await userAction(db, id));
    await callWebhook({ ...request, by: { header, value }, allowed: allowedNetworks });
  }

  /** The secret, and for a while the one before it. */
  #secretsOf(delivery: store.ClaimedDelivery): string[] {
    const { target_id: id, key_id: keyId, sealed: box } = delivery;
    if (id === null || keyId === null || box === null) throw new Error('the target was deleted');
    const open = (sealed: { keyId: string; box: Buffer }) =>
      this.#options.cipher.open(sealed, store.secretContext(id));
    const { previous_key_id: beforeId, previous_sealed: before } = delivery;
    const previous = beforeId && before ? [open({ keyId: beforeId, box: before })] : [];
    return [open({ keyId, box }), ...previous];
  }
}
