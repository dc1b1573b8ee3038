/** Response pages: what a visitor sees instead of the site when the protection blocks or challenges. */

export type TextField = 'header' | 'title' | 'text' | 'error';
export type PageField = 'logo' | TextField;

/** What a user may write on a page; what is absent has a text of ours. The logo is base64, see logo.ts. */
export type PageContent = Readonly<Partial<Record<PageField, string | null>>>;

/** Characters of each text. */
export const LENGTHS: Readonly<Record<TextField, readonly [min: number, max: number]>> = {
  header: [3, 62],
  title: [3, 50],
  text: [20, 400],
  error: [10, 400],
};

/** The pages by their name in a set. */
export const PAGES = [
  'block',
  'block_csrf',
  'captcha',
  'cookie_disabled',
  'handshake',
  'javascript_disabled',
] as const;
export type Page = (typeof PAGES)[number];

/** The pages by the file that they are served as, which is how a preview asks for one. */
export const PAGE_TYPES = [
  'block.html',
  'block_csrf.html',
  'captcha.html',
  'cookieDisabled.html',
  'handshake.html',
  'javascriptDisabled.html',
] as const;
export type PageType = (typeof PAGE_TYPES)[number];

export const PAGE_OF: Readonly<Record<PageType, Page>> = {
  'block.html': 'block',
  'block_csrf.html': 'block_csrf',
  'captcha.html': 'captcha',
  'cookieDisabled.html': 'cookie_disabled',
  'handshake.html': 'handshake',
  'javascriptDisabled.html': 'javascript_disabled',
};

/** Which fields a page shows. */
export const FIELDS: Readonly<Record<Page, readonly PageField[]>> = {
  block: ['logo', 'header', 'title', 'text'],
  block_csrf: ['logo', 'header', 'title', 'text'],
  captcha: ['logo', 'header', 'title', 'text', 'error'],
  cookie_disabled: ['header', 'text'],
  handshake: ['logo', 'header', 'title'],
  javascript_disabled: ['header', 'text'],
};

/** The texts of a page on which the user wrote nothing. */
export const DEFAULTS: Readonly<Record<Page, Readonly<Partial<Record<TextField, string>>>>> = {
  block: {
    header: 'Access to this page is blocked',
    title: 'Request blocked',
    text: 'The protection of this site stopped your request. If you think that this is a mistake, contact the owner of the site and say what you were doing.',
  },
  block_csrf: {
    header: 'This request came from another site',
    title: 'Request blocked',
    text: 'To protect your account, the site accepts this action only from its own pages. Go back to the site, reload the page and try again.',
  },
  captcha: {
    header: 'Please confirm that you are human',
    title: 'Security check',
    text: 'We have seen unusual traffic from your network. Complete the check below to go on to the site.',
    error: 'That was not correct. Please try again.',
  },
  cookie_disabled: {
    header: 'Please enable cookies',
    text: 'This site needs cookies to tell visitors from bots. Enable cookies in the settings of your browser, then reload this page.',
  },
  handshake: { header: 'Checking your browser', title: 'One moment, please' },
  javascript_disabled: {
    header: 'Please enable JavaScript',
    text: 'This site needs JavaScript to tell visitors from bots. Enable JavaScript in the settings of your browser, then reload this page.',
  },
};
