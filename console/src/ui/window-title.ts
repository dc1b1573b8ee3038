import { type RefObject, useEffect, useRef } from 'react';

/**
 * Names the window after the page's heading, so that tabs, bookmarks and the history can be distinguished.
 * @param part of what the page is a part
 * @returns goes to the heading
 */
export function useWindowTitle(part?: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [wordsOf(heading.current), part, 'Virga'].filter(Boolean).join(' · ');
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
