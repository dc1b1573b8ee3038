import type { Logo } from '../logo.ts';
import { DEFAULTS, FIELDS, type Page, type PageContent, type TextField } from '../model.ts';
import { escapeHtml } from './escape.ts';
import { icon } from './icons.ts';
import { STYLE } from './style.ts';

/** A page that is complete in itself: no script, nothing fetched, and a policy that forbids both. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The HTML of a response page.
 * @param content texts as the user wrote them; absent ones and null are replaced by our own; those that this
 *   page does not show are left out
 * @param logo already decoded, see readLogo
 */
export function renderPage(page: Page, content: PageContent, logo?: Logo): string {
  const shows = (field: TextField | 'logo') => FIELDS[page].includes(field);
  const text = (field: TextField) => escapeHtml(content[field] ?? DEFAULTS[page][field] ?? '');
  const parts = [
    shows('logo') && logo ? logoElement(logo) : '',
    `<div class="badge">${icon(page)}</div>`,
    shows('title') ? `<p class="title" dir="auto">${text('title')}</p>` : '',
    `<h1 dir="auto">${text('header')}</h1>`,
    shows('text') ? `<p class="text" dir="auto">${text('text')}</p>` : '',
    EXTRAS[page] ?? '',
    shows('error') ? errorElement(text('error')) : '',
  ];
  return documentOf(text(shows('title') ? 'title' : 'header'), parts.filter(Boolean).join('\n'));
}

function documentOf(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

/** The header says in words what a logo shows; a reader that cannot see it misses nothing. */
function logoElement({ dataUri, width, height }: Logo): string {
  return `<div class="logo"><img src="${escapeHtml(dataUri)}" width="${width}" height="${height}" alt=""></div>`;
}

/** What a page has between its text and its error. */
const EXTRAS: Readonly<Partial<Record<Page, string>>> = {
  captcha:
    '<div class="challenge"><span class="box" aria-hidden="true"></span>The challenge appears here</div>',
  handshake: '<div class="progress" aria-hidden="true"><i></i></div>',
};

function errorElement(text: string): string {
  const mark =
    '<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="9.5"/><path d="M12 7v6m0 4v.01"/></svg>';
  return `<p class="error" role="alert" dir="auto">${mark}<span>${text}</span></p>`;
}
