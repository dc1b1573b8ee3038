import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULTS, FIELDS, LENGTHS, PAGES, type TextField } from '../model.ts';
import { escapeHtml } from './escape.ts';
import { renderPage } from './page.ts';
import { STYLE } from './style.ts';

const TEXTS: readonly TextField[] = ['header', 'title', 'text', 'error'];

/** Texts made of what breaks out of HTML, between any characters whatsoever. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '</title>',
        '</style>',
        '</p></main>',
        '<!--',
        '-->',
        ']]>',
        '"',
        "'",
        '` onload=x',
        '&lt;',
        '&#x3c;',
        '&',
        '<',
        '>',
        '\u2028',
        '\u202e',
        '\r\n',
        '\ufeff',
        '<img src=x onerror=alert(1)>',
        '<svg/onload=alert(1)>',
        'javascript:alert(1)',
        '{{7*7}}',
        '$&',
        '$1',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const unescapeHtml = (html: string) =>
  html
    .replace(/&#13;/g, '\r')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');

test('escaped text has nothing that HTML reads as markup, and is the same text', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"'\r]/);
      expect(escaped.replace(/&(amp|lt|gt|quot|#39|#13);/g, '')).not.toContain('&');
      expect(unescapeHtml(escaped)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test.each(PAGES)(
  'whatever is written on %s, its markup stays the same and the text appears escaped',
  (page) => {
    fc.assert(
      fc.property(
        fc.record({ header: hostile, title: hostile, text: hostile, error: hostile }),
        (content) => {
          const marks = Object.fromEntries(TEXTS.map((field) => [field, `MARK-${field}-MARK`]));
          const expected = renderPage(page, marks).replace(/MARK-(\w+)-MARK/g, (_mark, field: TextField) =>
            escapeHtml(content[field]),
          );
          expect(renderPage(page, content)).toBe(expected);
        },
      ),
      { numRuns: 200 },
    );
  },
);

test.each(PAGES)('%s shows the fields that it has, and no others', (page) => {
  const html = renderPage(
    page,
    Object.fromEntries(TEXTS.map((field) => [field, `what stands in ${field}`])),
    { dataUri: 'data:image/png;base64,AAAA', width: 1, height: 1 },
  );
  for (const field of TEXTS) {
    expect(html.includes(`what stands in ${field}`), field).toBe(FIELDS[page].includes(field));
  }
  expect(html.includes('data:image/png;base64,AAAA')).toBe(FIELDS[page].includes('logo'));
});

test.each(PAGES)('%s without any text has texts of our own within the lengths that users have', (page) => {
  const html = renderPage(page, { header: null });
  for (const [field, text] of Object.entries(DEFAULTS[page]) as [TextField, string][]) {
    const [min, max] = LENGTHS[field];
    expect(text.length, field).toBeGreaterThanOrEqual(min);
    expect(text.length, field).toBeLessThanOrEqual(max);
    expect(html).toContain(escapeHtml(text));
  }
});

test.each(PAGES)('%s is complete in itself and works without scripts', (page) => {
  const html = renderPage(page, {});
  expect(html).not.toMatch(/<script|<link|<iframe|\son\w+=|javascript:|@import|url\(|https?:/i);
  expect(html).toContain("default-src 'none'");
  expect(html.match(/<h1/g)).toHaveLength(1);
  expect(html).toContain('prefers-color-scheme:dark');
});

/** The colours that a block of the style sheet sets. */
function colours(block: string): Record<string, string> {
  const pairs = [...block.matchAll(/--([\w-]+):(#[0-9a-f]{3,6})\b/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const digits = hex.slice(1);
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test('every text has a contrast of at least 4.5 to 1, in light and in dark', () => {
  const [light = '', dark = ''] = [...STYLE.matchAll(/:root\{[^}]*\}/g)].map(([block]) => block);
  for (const scheme of [colours(light), { ...colours(light), ...colours(dark) }]) {
    for (const [text, ground] of [
      ['ink', 'card'],
      ['soft', 'card'],
      ['accent', 'card'],
      ['accent', 'tint'],
      ['bad', 'bad-tint'],
    ] as const) {
      const ratio = contrast(scheme[text] ?? '', scheme[ground] ?? '');
      expect(ratio, `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
