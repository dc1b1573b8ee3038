import { type Clock, systemClock } from '../../server/src/kernel/clock.ts';

export interface MovableClock extends Clock {
  advance(ms: number): void;
}

/** A clock that runs like the real one, and can be put forward. */
export function movableClock(): MovableClock {
  const real = systemClock();
  let offset = 0;
  const moved = (date: Date) => new Date(date.getTime() + offset);
  return {
    now: () => moved(real.now()),
    timestamp: () => {
      const exact = real.timestamp();
      // The real clock counts microseconds; moving must not lose them.
      return `${moved(new Date(exact)).toISOString().slice(0, 23)}${exact.slice(23)}`;
    },
    advance: (ms) => {
      offset += ms;
    },
  };
}
