import type { Page } from '../model.ts';

/** One drawing for each page, in the colour of its surroundings. */
const DRAWINGS: Readonly<Record<Page, string>> = {
  block:
    '<path d="M24 5 40 11v11c0 10-6.6 17.4-16 21-9.4-3.6-16-11-16-21V11z"/><path d="m18 18 12 12m0-12L18 30"/>',
  block_csrf:
    '<path d="M24 5 40 11v11c0 10-6.6 17.4-16 21-9.4-3.6-16-11-16-21V11z"/><path d="M16 20h15m-4-4 4 4-4 4M32 29H17m4-4-4 4 4 4"/>',
  captcha:
    '<path d="M24 5 40 11v11c0 10-6.6 17.4-16 21-9.4-3.6-16-11-16-21V11z"/><path d="m16.5 24 5.5 5.5L32 18.5"/>',
  cookie_disabled:
    '<path d="M42 24A18 18 0 1 1 24 6a7 7 0 0 0 7 7 6 6 0 0 0 5 6 6 6 0 0 0 6 5z"/><path d="M17 19h.02M29 27h.02M19 31h.02M26 35h.02" stroke-width="4.5"/>',
  handshake:
    '<rect x="5" y="8" width="38" height="32" rx="4"/><path d="M5 17h38M11 12.6h.02M16 12.6h.02"/><path d="m17.5 28.5 4.5 4.5 8.5-9"/>',
  javascript_disabled:
    '<rect x="5" y="8" width="38" height="32" rx="4"/><path d="M5 17h38M11 12.6h.02M16 12.6h.02"/><path d="m19 23-5 5.5 5 5.5m10-11 5 5.5-5 5.5"/>',
};

export function icon(page: Page): string {
  return `<svg class="icon" viewBox="0 0 48 48" aria-hidden="true" focusable="false">${DRAWINGS[page]}</svg>`;
}
