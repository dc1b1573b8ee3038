import { setTimeout as delay } from 'node:timers/promises';
import { collectorName, type LogCollector } from './collector.ts';
import { type LogSource, syslogMessage } from './rfc5424.ts';
import { type LogSender, senderTo } from './senders.ts';
import type { LogPosition, LogTail } from './tail.ts';

export interface ShipperLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** A log on its way to a collector. */
export interface Shipment {
  readonly tail: LogTail;
  source: LogSource;
}

interface Underway extends Shipment {
  /** Where to go back to when the connection breaks: places before what was sent lately. */
  recent: { readonly position: LogPosition; sentAt: number }[];
  savedAt: number;
}

const LOOK_EVERY_MS = 100;
const SAVE_EVERY_MS = 1_000;
/** What was sent over a connection so lately may not have been read by the collector when it breaks. */
const REPEAT_MS = 2_000;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Sends the lines of many load balancers to one collector. They wait in their files while it is slow or away;
 *  nothing waits for it. */
export class Shipper {
  readonly #name: string;
  readonly #sender: LogSender;
  readonly #log: ShipperLog;
  readonly #now: () => number;
  readonly #shipments = new Map<string, Underway>();
  #pauseMs = SHORTEST_PAUSE_MS;
  #notBefore = 0;
  #passing: Promise<boolean> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param now a clock in milliseconds that never goes back */
  constructor(collector: LogCollector, log: ShipperLog, now = () => performance.now()) {
    this.#name = collectorName(collector);
    this.#log = log;
    this.#now = now;
    this.#sender = senderTo(collector, () => this.#goBack());
    this.#schedule();
  }

  get isIdle(): boolean {
    return this.#shipments.size === 0;
  }

  /** Begins to send a log, or changes what is said about it. */
  carry(id: string, tail: LogTail, source: LogSource): void {
    const known = this.#shipments.get(id);
    if (known) known.source = source;
    else this.#shipments.set(id, { tail, source, recent: [], savedAt: this.#now() });
    tail.save();
  }

  /** Sends what is there, if that goes within the time, and no more of it then. */
  async leave(id: string, withinMs: number): Promise<void> {
    const shipment = this.#shipments.get(id);
    if (!shipment) return;
    const deadline = this.#now() + withinMs;
    // Its files go, so that what was refused a moment ago is tried again as long as there is time.
    while (!(await this.flush(deadline - this.#now())) && !this.#closed) {
      if (Math.max(this.#notBefore, this.#now()) >= deadline) break;
      await delay(Math.max(1, this.#notBefore - this.#now()), undefined, { ref: false });
    }
    this.#shipments.delete(id);
    // What is being handed over right now does not count as sent any more.
    shipment.recent = [];
    shipment.tail.save();
  }

  /** Sends everything that is there, if the collector can be reached and accepts it within the time.
   *  @returns whether it did */
  async flush(withinMs: number): Promise<boolean> {
    const flushed = (async () => {
      // A pass that is under way may have been at this log already.
      await this.#passing;
      return await this.#pass();
    })();
    return await Promise.race([flushed, delay(withinMs, false, { ref: false })]);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { tail } of this.#shipments.values()) tail.save();
    this.#sender.close();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#pass().then(() => this.#schedule()), LOOK_EVERY_MS).unref();
  }

  /** Sends until there is nothing left; each log gets its turn.
   *  @returns false when something is left: it was refused, or it is too early to try again */
  #pass(): Promise<boolean> {
    this.#passing ??= this.#sendAll().finally(() => {
      this.#passing = null;
    });
    return this.#passing;
  }

  async #sendAll(): Promise<boolean> {
    if (this.#now() < this.#notBefore) return false;
    try {
      for (let busy = true; busy && !this.#closed; ) {
        busy = false;
        for (const [id, shipment] of this.#shipments) busy = (await this.#sendSome(id, shipment)) || busy;
      }
      return !this.#closed;
    } catch (error) {
      this.#goBack();
      if (this.#pauseMs === SHORTEST_PAUSE_MS && !this.#closed) {
        this.#log.warn(
          { err: error, collector: this.#name },
          'a log collector cannot be reached: lines wait',
        );
      }
      this.#notBefore = this.#now() + this.#pauseMs;
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      return false;
    }
  }

  async #sendSome(id: string, shipment: Underway): Promise<boolean> {
    const { tail, source } = shipment;
    this.#settle(shipment);
    const chunk = tail.next();
    if (chunk === null) return false;
    if (chunk.lost)
      this.#log.warn({ loadBalancer: id }, 'access log lines were dropped before they were sent');
    const entry = { position: tail.position, sentAt: Number.POSITIVE_INFINITY };
    shipment.recent.push(entry);
    const messages = chunk.lines.filter(Boolean).map((line) => syslogMessage(line, source));
    if (messages.length > 0) await this.#send(messages);
    // A break meanwhile has gone back, and these come again.
    if (shipment.recent.at(-1) !== entry) return true;
    entry.sentAt = this.#now();
    tail.moveTo(chunk.next);
    return true;
  }

  async #send(messages: readonly string[]): Promise<void> {
    if (this.#closed) throw new Error('closed');
    await this.#sender.send(messages);
    if (this.#pauseMs > SHORTEST_PAUSE_MS)
      this.#log.info({ collector: this.#name }, 'a log collector is back');
    this.#pauseMs = SHORTEST_PAUSE_MS;
  }

  /** Forgets how to go back to what has surely been read, and keeps the position now and then. */
  #settle(shipment: Underway): void {
    const time = this.#now();
    shipment.recent = shipment.recent.filter(({ sentAt }) => time - sentAt < REPEAT_MS);
    if (time - shipment.savedAt < SAVE_EVERY_MS) return;
    shipment.savedAt = time;
    shipment.tail.save();
  }

  /** What may not have arrived comes again: twice is better than never. */
  #goBack(): void {
    for (const { tail, recent } of this.#shipments.values()) {
      const [first] = recent.splice(0);
      if (first) tail.moveTo(first.position);
    }
  }
}
