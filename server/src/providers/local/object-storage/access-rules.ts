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
    Sid: PUBLIC,
    Effect: 'Allow',
    Principal: '*',
    Action: ['s3:GetObject'],
    Resource: [`${bucket}/*`],
  };
  const keys = {
    Sid: READERS,
    Effect: 'Allow',
    Principal: { AWS: readers },
    Action: ['s3:GetObject', 's3:ListBucket', 's3:GetBucketLocation'],
    Resource: [bucket, `${bucket}/*`],
  };
  return [...(isPublic ? [everybody] : []), ...(readers.length > 0 ? [keys] : [])];
}

/** Whether everybody may read what is in a bucket, whoever has written its policy. A `Deny` or a condition is not weighed.
 *  @param policy empty: none */
export function isPublicBy(bucket: string, policy: string): boolean {
  if (policy === '') return false;
  const { Statement: all = [] } = JSON.parse(policy) as { Statement?: unknown };
  return ([all].flat() as Record<string, unknown>[]).some(
    ({ Effect, Principal, Action, Resource, Condition }) =>
      Effect === 'Allow' &&
      Condition === undefined &&
      hasOne((Principal as { AWS?: unknown } | null)?.AWS ?? Principal, ['*']) &&
      hasOne(Action, ['s3:GetObject', 's3:Get*', 's3:*', '*']) &&
      hasOne(Resource, [`arn:aws:s3:::${bucket}/*`, `arn:aws:s3:::${bucket}*`, 'arn:aws:s3:::*', '*']),
  );
}

const hasOne = (value: unknown, values: readonly string[]): boolean =>
  [value].flat().some((each) => values.includes(String(each)));

/** Whether a policy has what was made here for everybody. */
export const opensForAll = (policy: string): boolean =>
  policy !== '' && [JSON.parse(policy).Statement ?? []].flat().some(({ Sid }) => Sid === PUBLIC);

/** Origins of all rules of CORS, those that were made here first. */
export function originsIn(cors: string): string[] {
  const rules = cors.match(/<CORSRule>.*?<\/CORSRule>/gs) ?? [];
  const ordered = [...rules.filter(isOurs), ...rules.filter((rule) => !isOurs(rule))];
  return [...new Set(ordered.flatMap((rule) => elements(rule, 'AllowedOrigin')))];
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
