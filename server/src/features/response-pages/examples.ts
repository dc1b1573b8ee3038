import type { Examples } from '../../platform/openapi/examples.ts';

/** One grey pixel. */
const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const block = {
  enabled: true,
  logo,
  header: 'This request was stopped',
  title: 'Stopped',
  text: 'Our shop took this request for an attack. Write to help@example.com if it was none.',
};

export const responsePageExamples: Examples = {
  PreviewPage: { logo, header: block.header, title: block.title, text: block.text },
  CreateCustomPageSet: {
    name: 'Pages of the shop',
    domains: [1, 2],
    block,
    captcha: { enabled: true, header: 'Are you a person?', error: 'Please try again.' },
  },
  UpdateCustomPageSet: {
    name: 'Pages of the shop in spring',
    javascript_disabled: { enabled: true, header: 'Please switch on JavaScript' },
  },
};
