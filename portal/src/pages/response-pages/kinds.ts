import type { Schemas } from '../../api/client.ts';

/** The six pages, in the order in which a designer thinks of them. */
export const KINDS = [
  { key: 'block', type: 'block.html', name: 'Blocked', when: 'A request looks like an attack' },
  {
    key: 'block_csrf',
    type: 'block_csrf.html',
    name: 'From another site',
    when: 'Another site sent the form',
  },
  { key: 'captcha', type: 'captcha.html', name: 'Captcha', when: 'The visitor may be a machine' },
  { key: 'handshake', type: 'handshake.html', name: 'Browser check', when: 'The browser is looked at' },
  {
    key: 'cookie_disabled',
    type: 'cookieDisabled.html',
    name: 'Cookies are off',
    when: 'The check needs cookies',
  },
  {
    key: 'javascript_disabled',
    type: 'javascriptDisabled.html',
    name: 'JavaScript is off',
    when: 'The check needs JavaScript',
  },
] as const;

export type Kind = (typeof KINDS)[number];
export type Key = Kind['key'];
export type PageSet = Schemas['CustomPageSet'];

/** What may be written on a page. */
export const FIELDS: Readonly<Record<Key, readonly Part[]>> = {
  block: ['logo', 'header', 'title', 'text'],
  block_csrf: ['logo', 'header', 'title', 'text'],
  captcha: ['logo', 'header', 'title', 'text', 'error'],
  handshake: ['logo', 'header', 'title'],
  cookie_disabled: ['header', 'text'],
  javascript_disabled: ['header', 'text'],
};

export type Part = 'logo' | 'header' | 'title' | 'text' | 'error';
export type Draft = Partial<Record<Part, string>> & { readonly enabled: boolean };
export type Drafts = Readonly<Record<Key, Draft>>;

/** What a set has, as the designer holds it. */
export const draftsOf = (set: PageSet | undefined): Drafts =>
  Object.fromEntries(
    KINDS.map(({ key }) => [
      key,
      { enabled: set !== undefined, ...withoutNulls(set?.[key] ?? { enabled: false }) },
    ]),
  ) as Drafts;

const withoutNulls = (page: object) =>
  Object.fromEntries(Object.entries(page).filter(([, value]) => value !== null));

/** The page as the API accepts it: what is not written is left out. */
export const pageOf = (key: Key, draft: Draft): Draft =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([part, value]) => part === 'enabled' || (value !== '' && FIELDS[key].includes(part as Part)),
    ),
  ) as unknown as Draft;
