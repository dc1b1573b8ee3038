import type { DesiredBucket } from '../../../features/object-storage/port.ts';
import { elements, escaped } from './s3-client.ts';

/** Who may use a bucket: the statements of its policy and the rules of its CORS that are made here, among those that S3
 *  clients have set. Ours are known by their names; the others stay as they are. */

export interface BucketAccess {
  readonly isPublic: boolean;
  readonly allowedOrigins: readonly string[];
  /** Keys that only read. */
  readonly readers: readonly string[];
}

const PUBLIC = 'VirgaPublicReading';
const READERS = 'VirgaReadOnlyKeys';
const RULE = 'virga';

interface Statement {
  readonly Sid?: string;
}

/** @param bucket its name
 *  @param there the policy as it is; empty: none
 *  @param before what was desired last
 *  @returns the policy as it is to be; null: none */
export function policyWith(
  bucket: string,
  there: string,
  desired: BucketAccess,
  before: BucketAccess,
): string | null {
  const { Statement: all = [], ...rest } = there === '' ? {} : (JSON.parse(there) as { Statement?: unknown });
  // Those of an older version had no names.
  const nameless = statementsOf(bucket, before).map(({ Sid: _, ...statement }) => JSON.stringify(statement));
  const others = ([all].flat() as Statement[]).filter(
    (each) => each.Sid !== PUBLIC && each.Sid !== READERS && !nameless.includes(JSON.stringify(each)),
  );
  const statements = [...others, ...statementsOf(bucket, desired)];
  if (statements.length === 0) return null;
  return JSON.stringify({ Version: '2012-10-17', ...rest, Statement: statements });
}

function statementsOf(name: string, { isPublic, readers }: BucketAccess) {
  const bucket = `arn:aws:s3:::${name}`;
  const everybody = {
    ...{ Sid: PUBLIC, Effect: 'Allow', Principal: '*' },
    ...{ Action: ['s3:GetObject'], Resource: [`${bucket}/*`] },
  };
  const keys = {
    ...{ Sid: READERS, Effect: 'Allow', Principal: { AWS: readers } },
    Action: ['s3:GetObject', 's3:ListBucket', 's3:GetBucketLocation'],
    Resource: [bucket, `${bucket}/*`],
  };
  return [...(isPublic ? [everybody] : []), ...(readers.length > 0 ? [keys] : [])];
}

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** The same of CORS. */
export function corsWith(
  there: string,
  { allowedOrigins }: Pick<DesiredBucket, 'allowedOrigins'>,
): string | null {
  const others = (there.match(/<CORSRule>.*?<\/CORSRule>/gs) ?? []).filter((rule) => !isOurs(rule));
  const rules = [...others, ...(allowedOrigins.length > 0 ? [ruleOf(allowedOrigins)] : [])];
  return rules.length > 0 ? `<CORSConfiguration>${rules.join('')}</CORSConfiguration>` : null;
}

/** Those of an older version had no name, and are known by what is in all of them. */
function isOurs(rule: string): boolean {
  const [id] = elements(rule, 'ID');
  if (id) return id === RULE;
  const [methods, headers, exposed] = ['AllowedMethod', 'AllowedHeader', 'ExposeHeader'].map((name) =>
    elements(rule, name).join(),
  );
  return methods === METHODS.join() && headers === '*' && exposed === 'ETag';
}

function ruleOf(origins: readonly string[]): string {
  const element = (name: string) => (text: string) => `<${name}>${escaped(text)}</${name}>`;
  const parts = [
    element('ID')(RULE),
    ...origins.map(element('AllowedOrigin')),
    ...METHODS.map(element('AllowedMethod')),
    element('AllowedHeader')('*'),
    element('ExposeHeader')('ETag'),
  ];
  return `<CORSRule>${parts.join('')}</CORSRule>`;
}
