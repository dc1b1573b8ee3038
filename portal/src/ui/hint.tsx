import { Tooltip } from '@mantine/core';
import { type SyntheticEvent, useEffect, useId, useSyncExternalStore } from 'react';

/** What is said of a thing while it is pointed at or has the focus. One bubble serves the whole page: a list has
 *  hundreds of things to say something of, and says it of one at a time. */

/** The words, or how to come by them once they are asked for. */
type Words = string | ((target: HTMLElement) => string);

interface Shown {
  readonly target: HTMLElement;
  readonly text: string;
}

const DELAY_MS = 250;

let shown: Shown | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: Shown | undefined): void {
  clearTimeout(timer);
  shown = next;
  for (const hear of listeners) hear();
}

const hide = () => set(undefined);

/** Says something of an element at once. */
export const showHint = (target: HTMLElement, words: Words): void =>
  set({ target, text: typeof words === 'string' ? words : words(target) });

function say(target: HTMLElement, words: Words): void {
  clearTimeout(timer);
  timer = setTimeout(() => showHint(target, words), DELAY_MS);
}

const isCut = ({ scrollWidth, clientWidth }: HTMLElement) => scrollWidth > clientWidth;

/** What an element has on it so that all of its text is said where there is no room for it. */
export const hintWhenCut = {
  onMouseEnter: ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    if (isCut(currentTarget)) say(currentTarget, currentTarget.textContent ?? '');
  },
  onMouseLeave: hide,
  onFocus: ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    if (currentTarget.matches(':focus-visible') && isCut(currentTarget))
      showHint(currentTarget, currentTarget.textContent ?? '');
  },
  onBlur: hide,
};

/** What an element has on it so that something is said of it: `<time {...hint('Monday')}>`. */
export const hint = (words: Words) => ({
  onMouseEnter: ({ currentTarget }: SyntheticEvent<HTMLElement>) => say(currentTarget, words),
  onMouseLeave: hide,
  onFocus: ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    if (currentTarget.matches(':focus-visible')) showHint(currentTarget, words);
  },
  onBlur: hide,
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The bubble. The page has one. */
export function Hints() {
  const now = useSyncExternalStore(subscribe, () => shown);
  const id = useId();
  useEffect(() => (now ? attend(now, id) : undefined), [now, id]);
  if (!now) return null;
  return (
    <Tooltip
      id={id}
      target={now.target}
      label={now.text}
      opened
      multiline
      w="max-content"
      maw={360}
      // A name without a space would reach beyond it, and beyond the window.
      style={{ overflowWrap: 'anywhere' }}
    />
  );
}

/** Ties the bubble to its element, and removes it when that is left in a way that no event of its own reports. */
function attend({ target, text }: Shown, id: string): () => void {
  const described = target.getAttribute('aria-label') !== text;
  if (described) target.setAttribute('aria-describedby', id);
  const left = ({ target: over }: Event) => {
    if (!(over instanceof Node && target.contains(over)) && document.activeElement !== target) hide();
  };
  const escaped = ({ key }: KeyboardEvent) => key === 'Escape' && hide();
  document.addEventListener('mouseover', left);
  document.addEventListener('keydown', escaped);
  window.addEventListener('scroll', hide, { passive: true });
  return () => {
    if (described) target.removeAttribute('aria-describedby');
    document.removeEventListener('mouseover', left);
    document.removeEventListener('keydown', escaped);
    window.removeEventListener('scroll', hide);
  };
}
