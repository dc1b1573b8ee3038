import { type RefObject, useEffect, useRef } from 'react';
import { noteRecent } from './recent.ts';

/**
 * Names the window after the page's heading, so that tabs, bookmarks and the history can be distinguished.
 * @param part of what the page is a part
 * @returns goes to the heading
 */
export function useWindowTitle(part?: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const words = wordsOf(heading.current);
    document.title = [words, part, 'Virga'].filter(Boolean).join(' · ');
    // What is a part of a list is one of its things, unless it is yet to be made.
    if (part && words && !location.pathname.endsWith('/new'))
      noteRecent({ path: location.pathname, name: words, of: part });
  });
  return heading;
}

/** The heading's own words, without the badges and buttons beside them. */
const wordsOf = (heading: HTMLElement | null) =>
  [...(heading?.childNodes ?? [])]
    .filter((node) => node instanceof Text)
    .map((node) => node.data)
    .join('')
    .trim();
