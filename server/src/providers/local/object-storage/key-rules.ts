import { quote } from '../load-balancers/quoting.ts';

/** What the gateway refuses before the S3 server sees it: names of objects that are files and would be taken for others,
 *  or that the server keeps for itself, and encryption that it would say that it has done. Names in the bodies of forms and
 *  of deletions of several objects are not looked at. */

interface Rule {
  readonly name: string;
  readonly status: 400 | 501;
  readonly code: string;
  readonly message: string;
  /** Conditions of HAProxy, of which one has to be met. */
  readonly conditions: readonly string[];
}

/** The raw path, in which `%00` is still seen, and the one that the server will use. */
const RAW = ['path', 'req.hdr(x-amz-copy-source)'] as const;
const DECODED = RAW.map((each) => `${each},url_dec`);
const matches = (samples: readonly string[], pattern: string): string[] =>
  samples.map((sample) => `${sample} -m reg -i ${quote(pattern)}`);

const ENCRYPTION = [
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-copy-source-server-side-encryption-customer-algorithm',
];

const RULES: readonly Rule[] = [
  {
    name: 'control',
    status: 400,
    code: 'InvalidArgument',
    message: 'The name of an object must not have control characters.',
    conditions: matches(RAW, '%([01][0-9a-f]|7f)'),
  },
  {
    name: 'alias',
    status: 400,
    code: 'InvalidArgument',
    message: 'The name of an object must not have empty segments, nor segments that are . or ..',
    conditions: matches(DECODED, '(//|/\\.{1,2}(/|$|\\?))'),
  },
  {
    name: 'long',
    status: 400,
    code: 'KeyTooLongError',
    message: 'A segment of the name of an object must have at most 255 bytes.',
    conditions: matches(DECODED, '/[^/]{256,}'),
  },
  {
    name: 'reserved',
    status: 400,
    code: 'InvalidArgument',
    message: 'The name of an object must not have a segment that is .sgwtmp',
    conditions: matches(DECODED, '(^|/)\\.sgwtmp(/|$|\\?)'),
  },
  {
    name: 'encryption',
    status: 501,
    code: 'NotImplemented',
    message:
      'Objects are not encrypted on the server: encrypt them before the upload, or leave the header out.',
    conditions: ENCRYPTION.map((header) => `req.hdr(${header}) -m found`),
  },
];

/** Lines of the gateway's frontend, and of what it logs nothing is lost. */
export function keyRules(): string[] {
  return RULES.flatMap(({ name, status, code, message, conditions }) => [
    ...conditions.map((condition) => `  acl ${name} ${condition}`),
    `  http-request return status ${status} content-type application/xml string ${quote(
      `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    )} if ${name}`,
  ]);
}
