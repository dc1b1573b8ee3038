import { messageOf } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { Loop } from '../loop.ts';
import { START_PATIENCE_MS, within } from '../tasks/within.ts';
import { type NodeRow, sayAlive, sayGone } from './store.ts';

export interface PresenceOptions extends NodeRow {
  readonly db: Db;
  readonly ids: Ids;
  readonly log: Logger;
}

const BEAT_MS = 1500;
/** An answer that comes later says nothing about now. */
const PATIENCE_MS = 2500;

/** Lets the others know that this process is alive. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #session: string;
  readonly #loop: Loop;
  #isKnown = false;
  /** The others do not hear from this node, and that was said. */
  #silent = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#session = options.ids.uuid();
    this.#loop = new Loop(BEAT_MS, () =>
      this.#beat().then(
        () => {
          this.#silent = false;
        },
        (error) => this.#sayOnce(error),
      ),
    );
  }

  /** As which the others know this process; undefined before it was started. */
  get session(): string | undefined {
    return this.#isKnown ? this.#session : undefined;
  }

  async start(): Promise<void> {
    await this.#beat(START_PATIENCE_MS);
    this.#isKnown = true;
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await within(PATIENCE_MS, sayGone(this.#options.db, this.#session));
  }

  #sayOnce(error: unknown): void {
    const level = this.#silent ? 'debug' : 'warn';
    this.#silent = true;
    this.#options.log[level](`others were not notified that this node is alive: ${messageOf(error)}`);
  }

  #beat(patienceMs = PATIENCE_MS): Promise<void> {
    return within(patienceMs, sayAlive(this.#options.db, this.#session, this.#options));
  }
}
