import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { KeyManager } from './key-manager.ts';
import type { EngineObject } from './marks.ts';
import { Missing } from './missing.ts';

/** Between two lists: they are read a hundred at a time, and cannot be shorter. */
const PAUSE_MS = 60_000;

export interface SecretLookOptions {
  readonly keyManager: Pick<KeyManager, 'all'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/** Which load balancers lack a certificate that the key manager kept for them: they serve on, and fail at the next
 *  failover. */
export class SecretLook {
  readonly #options: SecretLookOptions;
  readonly #missing: Missing;
  #nextAt = 0;
  #hasFailed = false;
  #lacking: readonly string[] = [];

  constructor(options: SecretLookOptions) {
    this.#options = options;
    this.#missing = new Missing('secret', options.log);
  }

  /** Reads the list when it is time, where any load balancer has secrets. When the key manager does not answer, the
   *  rest of the cloud is looked at all the same.
   *  @param objects all load balancers, by their ids here */
  async look(objects: ReadonlyMap<string, EngineObject>): Promise<void> {
    const { now, keyManager, log } = this.#options;
    if (now() < this.#nextAt) return;
    const owners = [...objects].filter(([, { facts }]) => facts.secretIds?.length);
    if (owners.length === 0) return;
    this.#nextAt = now() + PAUSE_MS;
    try {
      const all = await keyManager.all();
      const gone = owners.filter(([, { facts }]) => facts.secretIds?.some((id) => !all.has(id)));
      const ids = gone.map(([id]) => id);
      this.#lacking = this.#missing.deleted(ids, owners.length);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) log.warn({ err: error }, `secrets could not be looked at: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
  }

  /** The load balancers of which two complete lists did not name a secret. Each is named once for each list. */
  takeLacking(): readonly string[] {
    const lacking = this.#lacking;
    this.#lacking = [];
    return lacking;
  }
}
