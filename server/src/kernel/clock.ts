/** Where time comes from. Everything that needs the time gets a Clock, so that tests can own it. */
export interface Clock {
  now(): Date;
  /** Microsecond timestamp for the database (`2026-01-31T12:00:00.123456Z`), strictly increasing within
   *  this process, so that rows written one after the other sort one after the other. */
  timestamp(): string;
}

export function systemClock(): Clock {
  let last = 0n;
  const micros = () => {
    const exact = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000));
    last = exact > last ? exact : last + 1n;
    return last;
  };
  return {
    now: () => new Date(),
    timestamp: () => formatMicros(micros()),
  };
}

/** Formats microseconds since 1970 as an ISO 8601 UTC timestamp with six decimals. */
export function formatMicros(micros: bigint): string {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, -1);
  return `${seconds}${String(micros % 1000n).padStart(3, '0')}Z`;
}
