import pg from 'pg';
import { DatabaseSilent } from './outage.ts';

/** Notices a database that neither answers nor refuses: frozen, or cut off from us. While somebody waits for it, it is
 *  asked over a connection of its own; once that stays without an answer, nobody waits any longer. */

export interface LivenessOptions {
  readonly connection: pg.ClientConfig;
  /** Milliseconds between two looks; default: 200. A question that is not answered for three of them never will be.
   *  Looks come late where the whole machine is busy, and so does our judgement. */
  readonly everyMs?: number | undefined;
  readonly onSilence: (error: Error) => void;
  readonly onAnswer: () => void;
}

/** So that whoever waits for a database that has fallen silent learns it in less than a second. */
const EVERY_MS = 200;
const LOOKS = 3;
/** The same for the first question over a connection that is being opened, which takes a busy machine much longer than
 *  an answer: a process has to be started, and passwords are proved with hashes. */
const OPENING_LOOKS = 12;

/** Who waits for what is done: a request. */
export interface Waiter {
  /** It was answered that the database is silent. */
  readonly gaveUp: boolean;
}

interface Waiting extends Waiter {
  gaveUp: boolean;
  /** The look before which that began. */
  readonly since: number;
  /** Its place among those who wait; undefined: it waits no longer. */
  scope: number | undefined;
  readonly giveUp: (error: Error) => void;
}

interface Line {
  readonly client: pg.Client;
  readonly ready: Promise<unknown>;
  isOpen: boolean;
}

export class LivenessProbe {
  readonly #options: LivenessOptions;
  /** Who waits, in no order. Every request comes and goes here twice: a Map copies its
   *  entries again and again, which took a tenth of the time of a quick request. */
  readonly #waiting: Waiting[] = [];
  #line: Line | undefined;
  #timer: NodeJS.Timeout | undefined;
  #look = 0;
  /** What is not answered yet. */
  #question: { readonly requestedAt: number } | undefined;
  #silent = false;
  /** The last connection could not be opened, or was lost. */
  #isGone = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  /** Whether the database is known not to answer. */
  get isSilent(): boolean {
    return this.#silent;
  }

  /** Waits for what needs the database.
   *  @param work goes on when nobody waits any more, unless it looks at who waits
   *  @throws DatabaseSilent when that does not answer */
  during<T>(work: (waiter: Waiter) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, giveUp) => {
      const waiting: Waiting = { gaveUp: false, since: this.#look, scope: this.#waiting.length, giveUp };
      this.#waiting.push(waiting);
      if (this.#timer === undefined) this.#begin();
      // What does not need the database is done before this.
      if (this.#silent) setImmediate(() => this.#giveUpFor(waiting, new DatabaseSilent()));
      work(waiting).then(
        (result) => {
          this.#leave(waiting);
          resolve(result);
        },
        (error: Error) => {
          this.#leave(waiting);
          giveUp(error);
        },
      );
    });
  }

  /** The last one takes its place. */
  #leave(waiting: Waiting): void {
    const { scope } = waiting;
    if (scope === undefined) return;
    waiting.scope = undefined;
    const last = this.#waiting.pop();
    if (last === undefined || last === waiting) return;
    this.#waiting[scope] = last;
    last.scope = scope;
  }

  #giveUpFor(waiting: Waiting, error: Error): void {
    if (waiting.scope === undefined) return;
    this.#leave(waiting);
    waiting.gaveUp = true;
    waiting.giveUp(error);
  }

  /** It has answered somebody. */
  heard(): void {
    this.#silent = false;
    this.#question = undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const line = this.#line;
    this.#line = undefined;
    if (this.#silent) this.#drop(line);
    else await line?.client.end().catch(() => undefined);
  }

  /** The connection is opened before it is needed: then an answer is all that a question waits for. */
  #begin(): void {
    this.#timer = setInterval(() => this.#tick(), this.#options.everyMs ?? EVERY_MS).unref();
    this.#line ??= this.#open();
  }

  #tick(): void {
    this.#look += 1;
    if (this.#question !== undefined) {
      // What has arrived meanwhile is heard first.
      if (this.#look - this.#question.requestedAt >= this.#patience()) setImmediate(() => this.#giveUp());
    } else if (this.#silent || this.#waiting.some(({ since }) => since < this.#look)) void this.#ask();
    else if (this.#waiting.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Who lost the database just before is answered 503 already, and shall not wait longer for that. */
  #patience(): number {
    const mayOpen = !this.#line?.isOpen && (this.#silent || !this.#isGone);
    return mayOpen ? OPENING_LOOKS : LOOKS;
  }

  async #ask(): Promise<void> {
    const question = { requestedAt: this.#look };
    this.#question = question;
    const answered = await this.#isAnswered();
    if (this.#question !== question) return;
    this.#question = undefined;
    if (this.#silent && answered) this.#options.onAnswer();
    this.heard();
  }

  /** A database that refuses us says so by itself to whoever asks it. */
  async #isAnswered(): Promise<boolean> {
    this.#line ??= this.#open();
    const line = this.#line;
    try {
      await line.ready;
      await line.client.query('select 1');
      return true;
    } catch {
      this.#drop(line);
      return false;
    }
  }

  #open(): Line {
    const client = new pg.Client(this.#options.connection);
    const line: Line = { client, ready: client.connect(), isOpen: false };
    line.ready.then(
      () => {
        line.isOpen = true;
        this.#isGone = false;
      },
      () => this.#lose(line),
    );
    client.on('error', () => this.#lose(line));
    return line;
  }

  #lose(line: Line): void {
    if (line === this.#line) this.#isGone = true;
    this.#drop(line);
  }

  #drop(line: Line | undefined): void {
    if (line === this.#line) this.#line = undefined;
    line?.client.connection.stream.destroy();
  }

  #giveUp(): void {
    if (this.#question === undefined) return;
    this.#question = undefined;
    this.#drop(this.#line);
    const error = new DatabaseSilent();
    if (!this.#silent) this.#options.onSilence(error);
    this.#silent = true;
    for (const waiting of [...this.#waiting]) this.#giveUpFor(waiting, error);
  }
}
