import type { SharedClock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { Loop } from '../loop.ts';
import { START_PATIENCE_MS, within } from '../tasks/within.ts';

export interface ClockWatchOptions {
  readonly db: Db;
  readonly clock: SharedClock;
  readonly log: Logger;
  /** Milliseconds between two measurements. Default: five seconds. */
  readonly everyMs?: number;
}

const EVERY_MS = 5000;
const PATIENCE_MS = 2500;
/** The quickest of so many answers says most. */
const QUESTIONS = 3;
/** A machine whose clock is off by more says so. */
const OFF_MS = 2000;
/** A machine whose clock is off by more is not ready: certificates, signatures and logs of its programs are wrong. */
const FAR_OFF_MS = 30_000;

interface Measured {
  /** What the database's clock said in the middle of the round trip, in milliseconds since 1970. */
  readonly time: number;
  /** When that was, by the source's steady clock. */
  readonly at: number;
  readonly roundTripMs: number;
}

/** Measures the clock of this machine against the database's, and has the process follow that one. */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #loop: Loop;
  #offMs = 0;
  /** 0: right, 1: off, 2: far off; as it was last logged. */
  #logged = 0;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    const { log, everyMs = EVERY_MS } = options;
    const failed = (error: unknown) => log.debug(`the clock could not be measured: ${messageOf(error)}`);
    this.#loop = new Loop(everyMs, () => this.measure().catch(failed));
  }

  /** By how many milliseconds this machine's clock is ahead of the database's; negative: behind. */
  get offMs(): number {
    return this.#offMs;
  }

  /** This node is not ready, and takes no new tasks. */
  get isFarOff(): boolean {
    return Math.abs(this.#offMs) > FAR_OFF_MS;
  }

  /** What operators should know of it; undefined: nothing. */
  get note(): string | undefined {
    if (Math.abs(this.#offMs) <= OFF_MS) return undefined;
    const by = `${Math.round(Math.abs(this.#offMs) / 100) / 10} s ${this.#offMs > 0 ? 'ahead of' : 'behind'}`;
    return `the clock of this machine is ${by} the database's: set it, and keep it right with NTP`;
  }

  /** @throws when the database does not answer */
  async start(): Promise<void> {
    await this.measure(START_PATIENCE_MS);
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Measures once, and corrects the clock as far as it is wrong for certain.
   *  @throws when the database does not answer */
  async measure(patienceMs = PATIENCE_MS): Promise<void> {
    const { clock } = this.#options;
    const { time, at, roundTripMs } = await this.#ask(patienceMs);
    const { source } = clock;
    const passed = source.steady() - at;
    const wrongMs = time + passed - clock.now().getTime();
    if (Math.abs(wrongMs) > roundTripMs / 2 + 1) clock.correct(wrongMs);
    this.#offMs = source.wall() - passed - time;
    this.#say();
  }

  async #ask(patienceMs: number): Promise<Measured> {
    const { db, clock } = this.#options;
    const { source } = clock;
    let best: Measured | undefined;
    for (let question = 0; question < QUESTIONS; question++) {
      const requested = source.steady();
      const time = await within(patienceMs, readTime(db));
      const roundTripMs = source.steady() - requested;
      const measured = { time, at: requested + roundTripMs / 2, roundTripMs };
      if (best === undefined || roundTripMs < best.roundTripMs) best = measured;
    }
    return best as Measured;
  }

  #say(): void {
    const { log } = this.#options;
    const level = this.isFarOff ? 2 : this.note ? 1 : 0;
    if (level === this.#logged) return;
    this.#logged = level;
    const fields = { offMs: Math.round(this.#offMs) };
    if (level === 2) log.error(fields, `not ready, no new tasks: ${this.note}`);
    else if (level === 1) log.warn(fields, `${this.note}`);
    else log.info(fields, 'the clock of this machine is right again');
  }
}

/** Milliseconds since 1970, by the database's clock. */
const readTime = (db: Db): Promise<number> =>
  db.number(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`);
