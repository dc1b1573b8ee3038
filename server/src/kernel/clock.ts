/** Where time comes from. Everything that needs the time gets a Clock, so that tests can own it. */
export interface Clock {
  now(): Date;
  /** Microsecond timestamp for the database (`2026-01-31T12:00:00.123456Z`), strictly increasing within
   *  this process, so that rows written one after the other sort one after the other. */
  timestamp(): string;
}

/** What a machine knows of the time, in milliseconds. */
export interface TimeSource {
  /** Since 1970, as the machine's clock says. People and NTP set it. */
  wall(): number;
  /** Since some moment. Nobody sets it. */
  steady(): number;
}

const MACHINE: TimeSource = { wall: () => Date.now(), steady: () => performance.now() };

export function systemClock(): Clock {
  const timestamp = increasing(() => performance.timeOrigin + performance.now());
  return { now: () => new Date(), timestamp };
}

/** A clock that the nodes of a database share: it begins as the machine's and is corrected by what they measure. What
 *  happens to the machine's clock later does not change it. */
export class SharedClock implements Clock {
  readonly source: TimeSource;
  readonly timestamp: () => string;
  #base: number;

  constructor(source: TimeSource = MACHINE) {
    this.source = source;
    this.#base = source.wall() - source.steady();
    this.timestamp = increasing(() => this.#ms());
  }

  now(): Date {
    return new Date(this.#ms());
  }

  /** @param ms by which it is put forward; negative: back. Timestamps never go back. */
  correct(ms: number): void {
    this.#base += ms;
  }

  #ms(): number {
    return this.#base + this.source.steady();
  }
}

/** @param time milliseconds since 1970, with fractions */
function increasing(time: () => number): () => string {
  let last = 0n;
  return () => {
    const exact = BigInt(Math.round(time() * 1000));
    last = exact > last ? exact : last + 1n;
    return formatMicros(last);
  };
}

/** Formats microseconds since 1970 as an ISO 8601 UTC timestamp with six decimals. */
export function formatMicros(micros: bigint): string {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, -1);
  return `${seconds}${String(micros % 1000n).padStart(3, '0')}Z`;
}
