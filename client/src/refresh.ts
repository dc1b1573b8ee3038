/** Keeps the signed address of a video fresh while a player plays it. Runs in browsers and in Node.js, without
 *  any dependency. */

/** What the token service answers. */
export interface VideoTokenRecord {
  readonly token: string;
  readonly token_ip: string;
  readonly client_ip: string;
  /** Unix time in seconds. */
  readonly expires: number;
  readonly url: string;
  readonly url_ip: string;
}

export interface TokenRefresherOptions {
  /** Address of the token service with its query: `https://api.example/video/token?video=film&expire=300`. */
  readonly tokenUrl: string;
  /** Use the address that is bound to the viewer's IP address. Default: false. */
  readonly ipBound?: boolean;
  /** Seconds before expiry at which a new record is fetched. Default, and when it is not smaller than the
   *  lifetime: a quarter of the lifetime. */
  readonly leadSeconds?: number;
  /** How a record is fetched. Default: a GET of `tokenUrl`. */
  readonly fetchRecord?: (tokenUrl: string) => Promise<VideoTokenRecord>;
  readonly onRefresh?: (record: VideoTokenRecord) => void;
  /** A refresh has failed; it will be tried again. */
  readonly onError?: (error: unknown) => void;
  readonly timers?: Timers;
}

export interface Timers {
  /** Milliseconds since 1970. */
  now(): number;
  after(milliseconds: number, work: () => void): unknown;
  cancel(timer: unknown): void;
}

/** The part of XMLHttpRequest that `xhrSetup` uses. */
interface Openable {
  open(method: string, url: string, async: boolean): void;
}

const DEFAULT_LIFETIME = 3600;
const DEFAULT_LEAD = 0.25;
/** An `expire` above this is a point in time, not a lifetime. */
const FIRST_ABSOLUTE = 1_735_689_600;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 8_000;
const PATIENCE_MS = 10_000;
/** Longer delays would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const PAIR = /^[A-Za-z0-9_-]{22}\/\d+\//;
const SIGNED = /^(.+\/(?:videos|cmaf)\/[^/]+\/)([A-Za-z0-9_-]{22}\/\d+\/)/;

const systemTimers: Timers = {
  now: () => Date.now(),
  after: (milliseconds, work) => setTimeout(work, milliseconds),
  cancel: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Fetches a new record before the last one expires, and puts its token into every address. */
export class TokenRefresher {
  readonly #options: TokenRefresherOptions;
  readonly #timers: Timers;
  #record: VideoTokenRecord | undefined;
  /** By this machine's clock, in milliseconds. */
  #expiresAt = 0;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #timer: unknown;
  #stopped = false;

  constructor(options: TokenRefresherOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  /** Fetches the first record and keeps it fresh from then on.
   *  @returns the address for the player
   *  @throws when there is no first record; call it again to try again */
  async start(): Promise<string> {
    this.#stopped = false;
    if (!this.#record) await this.#fetch();
    this.#schedule();
    return this.url;
  }

  /** No more refreshes. */
  stop(): void {
    this.#stopped = true;
    this.#timers.cancel(this.#timer);
  }

  /** The latest address of the master playlist.
   *  @throws before `start` has resolved */
  get url(): string {
    if (!this.#record) throw new Error('there is no token yet: wait for start()');
    return this.#options.ipBound ? this.#record.url_ip : this.#record.url;
  }

  /** The address with the latest `{token}/{expires}` pair; addresses of anything else stay as they are. */
  rewrite(address: string): string {
    const latest = this.#record && SIGNED.exec(new URL(this.url).href);
    if (!latest || !URL.canParse(address)) return address;
    const [, base = '', pair = ''] = latest;
    const { href } = new URL(address);
    if (!href.startsWith(base)) return address;
    const rest = href.slice(base.length);
    return PAIR.test(rest) ? `${base}${rest.replace(PAIR, pair)}` : address;
  }

  /** Like `rewrite`, but fetches a new record first if the last one has expired, as it has when the machine
   *  slept. Gives the old address when that fails: the edge will refuse it, and the player try again. */
  async fresh(address: string): Promise<string> {
    const { now } = this.#timers;
    const mayTry = now() - this.#failedAt >= FIRST_RETRY_MS;
    if (this.#running) await this.#running.catch(() => {});
    else if (!this.#stopped && now() >= this.#expiresAt && mayTry) await this.#refresh();
    return this.rewrite(address);
  }

  /** For hls.js: `new Hls({ xhrSetup: refresher.xhrSetup })`. */
  readonly xhrSetup = async (xhr: Openable, address: string): Promise<void> => {
    xhr.open('GET', await this.fresh(address), true);
  };

  /** Never fails: it tries again later. */
  async #refresh(): Promise<void> {
    this.#timers.cancel(this.#timer);
    try {
      await this.#fetch();
    } catch (error) {
      this.#options.onError?.(error);
    }
    this.#schedule();
  }

  #schedule(): void {
    this.#timers.cancel(this.#timer);
    if (this.#stopped) return;
    const delay = this.#failures > 0 ? this.#retryDelay() : this.#refreshDelay();
    this.#timer = this.#timers.after(Math.min(delay, LONGEST_TIMER_MS), () => void this.#refresh());
  }

  #retryDelay(): number {
    return Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LAST_RETRY_MS);
  }

  #refreshDelay(): number {
    const left = this.#expiresAt - this.#timers.now();
    const { leadSeconds = 0 } = this.#options;
    const usable = leadSeconds > 0 && leadSeconds * 1000 < left;
    return Math.max(FIRST_RETRY_MS, left - (usable ? leadSeconds * 1000 : left * DEFAULT_LEAD));
  }

  /** One fetch at a time. */
  #fetch(): Promise<void> {
    this.#running ??= this.#load().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #load(): Promise<void> {
    const { tokenUrl, fetchRecord = fetchJson, onRefresh } = this.#options;
    const requestedAt = this.#timers.now();
    try {
      const record = checked(await fetchRecord(tokenUrl));
      this.#record = record;
      this.#expiresAt = expiryOf(tokenUrl, record, requestedAt);
      this.#failures = 0;
      onRefresh?.(record);
    } catch (error) {
      this.#failures += 1;
      this.#failedAt = this.#timers.now();
      throw error;
    }
  }
}

/** When a record expires by this machine's clock, which need not be right. The record says it by the clock of the
 *  service, and the lifetime that was asked for by this one: the earlier of both counts, since a service may give
 *  less, and a clock that is wrong then costs no more than a refresh before its time. A record that has expired by
 *  this clock already shows that the clock is ahead.
 *  @param requestedAt milliseconds since 1970 */
function expiryOf(tokenUrl: string, record: VideoTokenRecord, requestedAt: number): number {
  const requested = /[?&]expire=([^&#]*)/.exec(tokenUrl)?.[1] ?? '';
  const lifetime = /^\d+$/.test(requested) ? Number(requested) : 0;
  const byService = record.expires * 1000;
  if (lifetime > FIRST_ABSOLUTE) return byService;
  const byClock = requestedAt + (lifetime > 0 ? lifetime : DEFAULT_LIFETIME) * 1000;
  return byService > requestedAt ? Math.min(byService, byClock) : byClock;
}

/** For token services that forget to say so. Node.js does not know it, browsers do. */
const NO_STORE: object = { cache: 'no-store' };

async function fetchJson(tokenUrl: string): Promise<VideoTokenRecord> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(tokenUrl, { signal: controller.signal, ...NO_STORE });
    if (!answer.ok) throw new Error(`the token service answers ${answer.status}`);
    return (await answer.json()) as VideoTokenRecord;
  } finally {
    clearTimeout(timer);
  }
}

function checked(record: VideoTokenRecord): VideoTokenRecord {
  const whole = typeof record?.url === 'string' && typeof record.url_ip === 'string';
  if (!whole || !Number.isFinite(record.expires)) throw new Error('the token service answers something else');
  return record;
}
