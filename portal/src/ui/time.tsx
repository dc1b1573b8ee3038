import { useSyncExternalStore } from 'react';
import { hint } from './hint.tsx';

/** The API's times have three endings: none (UTC), `Z`, `+0000`. */
export function readTime(text: string): Date {
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : `${text}Z`;
  return new Date(zoned);
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time of this moment, to the second, the same for everything on the page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const hear of listeners) hear();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

const STEPS: readonly (readonly [number, string])[] = [
  [86_400 * 365, 'y'],
  [86_400 * 30, 'mo'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `3 min ago`; seconds only below a minute. */
export function ago(then: number, at: number): string {
  const seconds = Math.max(0, Math.round((at - then) / 1000));
  if (seconds < 5) return 'just now';
  for (const [size, unit] of STEPS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit} ago`;
  }
  return `${seconds} s ago`;
}

/** How long something took or has been running: `1 min 12 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A relative time, the exact one in the person's zone when pointed at. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  return at ? <Ago date={readTime(at)} /> : <span>never</span>;
}

/** Drawn anew when its words change, and not with each second. */
function Ago({ date }: { readonly date: Date }) {
  const words = useSyncExternalStore(subscribe, () => ago(date.getTime(), now));
  return (
    <time dateTime={date.toISOString()} {...hint(() => exactly(date))}>
      {words}
    </time>
  );
}

const exactly = (date: Date) => date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
