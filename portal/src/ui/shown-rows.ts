import { type RefObject, useLayoutEffect, useState } from 'react';

/** Lists up to this length are drawn whole. */
const FEW = 100;
/** So many rows are drawn beyond what the window shows, so that keys and wheels find some. */
const AHEAD = 20;
/** Rows come and go by so many at a time. */
const STEP = 10;
/** Before the first row has been measured. */
const GUESS_PX = 45;

export interface ShownRows {
  readonly from: number;
  readonly to: number;
  /** Of all rows before and after those that are drawn, in px. */
  readonly above: number;
  readonly below: number;
}

/**
 * Which rows of a long list are drawn: those that the window shows, and some around them.
 * @param body holds the rows, marked with `data-row`
 */
export function useShownRows(count: number, body: RefObject<HTMLElement | null>): ShownRows {
  const [{ from, to, height }, setShown] = useState({ from: 0, to: FEW, height: GUESS_PX });
  useLayoutEffect(() => {
    if (count <= FEW) return;
    const look = () =>
      setShown((before) => {
        const next = measure(body.current, count, before.height);
        return next.from === before.from && next.to === before.to && next.height === before.height
          ? before
          : next;
      });
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [count, body]);
  if (count <= FEW) return { from: 0, to: count, above: 0, below: 0 };
  const last = Math.min(to, count);
  const first = Math.min(from, Math.max(0, last - 1));
  return { from: first, to: last, above: first * height, below: (count - last) * height };
}

function measure(body: HTMLElement | null, count: number, known: number) {
  const rows = body?.querySelectorAll('[data-row]') ?? [];
  const [first, last] = [rows[0], rows[rows.length - 1]];
  // Rows of cards differ in height: a mean that changed with each look would move what is looked at.
  const mean =
    first && last
      ? (last.getBoundingClientRect().bottom - first.getBoundingClientRect().top) / rows.length
      : known;
  const height = Math.abs(mean - known) > known / 4 ? mean : known;
  const hidden = -(body?.getBoundingClientRect().top ?? 0);
  const seen = Math.ceil(window.innerHeight / height);
  const start = Math.floor(hidden / height) - AHEAD;
  const from = Math.max(0, Math.min(Math.floor(start / STEP) * STEP, count - seen));
  return { from, to: Math.min(count, from + seen + 2 * AHEAD + STEP), height };
}
