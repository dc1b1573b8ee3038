import { randomUUID } from 'node:crypto';
import type { UsageCounter, VideoUsage } from './usage.ts';

const EVERY_MS = 10_000;
const PATIENCE_MS = 5_000;
/** As many as the intake takes in one report. */
const MAX_VIDEOS = 10_000;
/** Answers that say that the same report may be taken later. All others below 500 are final. */
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
  readonly now: () => Date;
  readonly log: (message: string, error: unknown) => void;
}

/** Sends counts every ten seconds. A report that was not acknowledged is sent again, with the same id, before
 *  any later one. Counts of the last seconds before a crash are lost. */
export class UsageReporter {
  readonly #options: UsageReporterOptions;
  #since: string;
  #unsent: UsageReport[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#since = options.now().toISOString();
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), EVERY_MS);
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
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
    for (let i = 0; i < videos.length; i += MAX_VIDEOS) {
      const part = videos.slice(i, i + MAX_VIDEOS);
      this.#unsent.push({ id: randomUUID(), from: this.#since, to, videos: part });
    }
    this.#since = to;
    try {
      for (let next = this.#unsent[0]; next; next = this.#unsent[0]) {
        await this.#post(next);
        this.#unsent.shift();
      }
    } catch (error) {
      log('usage could not be reported; it will be sent again', error);
    }
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
