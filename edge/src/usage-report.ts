import { randomUUID } from 'node:crypto';
import type { UsageCounter, VideoUsage } from './usage.ts';
import type { UsageJournal } from './usage-journal.ts';

const EVERY_MS = 10_000;
const JOURNAL_EVERY_MS = 100;
const PATIENCE_MS = 5_000;
/** As many as the intake accepts in one report. */
const MAX_VIDEOS = 10_000;
/** Answers that say that the same report may be accepted later. All others below 500 are final. */
const PASSING = [401, 403, 404, 408, 425, 429];

/** One report: what was delivered between two moments. Its id makes a repetition harmless. */
export interface UsageReport {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly videos: readonly VideoUsage[];
}

export interface UsageReporterOptions {
  readonly url: string;
  /** An operator's API token. */
  readonly token: string;
  readonly usage: UsageCounter;
  /** Keeps counts across a crash; without it those since the last acknowledged report are lost. */
  readonly journal?: UsageJournal;
  readonly now: () => Date;
  readonly log: (message: string, error: unknown) => void;
}

/** Sends counts every ten seconds. A report that was not acknowledged is sent again, with the same id, before
 *  any later one, also by the next process after a crash. What was counted in the last tenth of a second
 *  before a crash is lost. */
export class UsageReporter {
  readonly #options: UsageReporterOptions;
  #since: string;
  #unsent: UsageReport[] = [];
  #timers: NodeJS.Timeout[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#since = options.now().toISOString();
  }

  /** Continues with what an earlier process left. */
  start(): void {
    this.#recover();
    this.#timers = [
      setInterval(() => void this.flush(), EVERY_MS),
      setInterval(() => this.keep(), JOURNAL_EVERY_MS),
    ];
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.flush();
  }

  /** Writes down what was counted since the last time. */
  keep(): void {
    const fresh = this.#options.usage.fresh();
    if (fresh.length > 0) this.#write((journal) => journal.append(fresh));
  }

  #recover(): void {
    this.#write((journal) => {
      const { unsent, counted, since } = journal.read();
      this.#unsent.push(...unsent);
      this.#enclose(counted, since ?? this.#since, this.#since);
      this.#keepAll();
    });
  }

  /** A disk that is full must not keep anybody from watching. */
  #write(how: (journal: UsageJournal) => void): void {
    const { journal, log } = this.#options;
    try {
      if (journal) how(journal);
    } catch (error) {
      log('usage could not be written down; a crash would lose it', error);
    }
  }

  #keepAll(): void {
    const counted = this.#options.usage.counted();
    this.#write((journal) => journal.replace({ unsent: this.#unsent, counted, since: this.#since }));
  }

  /** Makes reports of it, to be sent after all others. */
  #enclose(videos: readonly VideoUsage[], from: string, to: string): void {
    for (let i = 0; i < videos.length; i += MAX_VIDEOS) {
      this.#unsent.push({ id: randomUUID(), from, to, videos: videos.slice(i, i + MAX_VIDEOS) });
    }
  }

  /** Sends everything counted so far; resolves when it is acknowledged or has failed. */
  flush(): Promise<void> {
    this.#running = this.#running.then(() => this.#send());
    return this.#running;
  }

  async #send(): Promise<void> {
    const { usage, now, log } = this.#options;
    const to = now().toISOString();
    const videos = usage.drain();
    this.#enclose(videos, this.#since, to);
    this.#since = to;
    if (this.#unsent.length === 0) return;
    // Before it is sent: after a crash the next process must send the same report.
    this.#keepAll();
    try {
      for (let next = this.#unsent[0]; next; next = this.#unsent[0]) {
        await this.#post(next);
        this.#unsent.shift();
      }
    } catch (error) {
      log('usage could not be reported; it will be sent again', error);
    }
    this.#keepAll();
  }

  async #post(report: UsageReport): Promise<void> {
    const { url, token, log } = this.#options;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `APIKey ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(report),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    if (answer.ok) return;
    const error = new Error(`${url} answers ${answer.status}`);
    if (answer.status >= 500 || PASSING.includes(answer.status)) throw error;
    // One report that is too old, say, must not hold up all later ones.
    log('a usage report was refused and is given up', error);
  }
}
