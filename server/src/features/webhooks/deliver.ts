import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { callWebhook } from './call.ts';
import { type DeliveryState, isLast, KEPT_DAYS } from './model.ts';
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

const BATCH = 16;

/** Sends what waits. An attempt is written down before it is made: a crash repeats it later, with the same id. */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#options;
    while (!signal.aborted) {
      const claimed = await store.claimDue(db, clock.now(), BATCH);
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((delivery) => this.#attempt(delivery)));
    }
  }

  async forgetOld(): Promise<void> {
    const { db, clock } = this.#options;
    await store.deleteEnded(db, new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000));
  }

  async #attempt(delivery: store.ClaimedDelivery): Promise<void> {
    const { db, clock, log } = this.#options;
    const close = (state: DeliveryState, error: string | null) =>
      store.closeAttempt(db, delivery, { state, error, now: clock.now() });
    try {
      await this.#send(delivery);
      await close('DELIVERED', null);
    } catch (error) {
      const message = messageOf(error);
      const last = isLast(delivery.attempts);
      log[last ? 'error' : 'warn'](
        { delivery: delivery.id, target: delivery.target_id, attempt: delivery.attempts },
        `a webhook could not be delivered${last ? ' and is given up' : ''}: ${message}`,
      );
      await close(last ? 'FAILED' : 'WAITING', message.slice(0, 500));
    }
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
    const secret = this.#secretOf(delivery);
    if (header === null) return callWebhook({ ...call(delivery.data), by: { secret } });
    const request = call(await userAction(db, id));
    await callWebhook({ ...request, by: { header, value: secret }, allowed: allowedNetworks });
  }

  #secretOf({ target_id: id, key_id: keyId, sealed: box }: store.ClaimedDelivery): string {
    if (id === null || keyId === null || box === null) throw new Error('the target was deleted');
    return this.#options.cipher.open({ keyId, box }, store.secretContext(id));
  }
}
