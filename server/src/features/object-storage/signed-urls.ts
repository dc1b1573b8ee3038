import { AwsV4Signer } from 'aws4fetch';
import { encodePath } from '../../../../signing/src/aws-signature.ts';
import { zuluTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import type { Db } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { access } from './access.ts';
import { findSigningKey } from './parts-store.ts';
import type { SignUrl } from './schema.ts';
import { openSecret } from './secrets.ts';

/** Addresses that are signed for one request of S3, and end soon. */

/** Of the region that S3 servers are asked in. */
const REGION = 'us-east-1';
/** Where this server passes signed requests on: pages of the portal may ask their own origin alone. */
export const PASSED_ON = '/objects';

/** Signs an address of a storage with its newest key that may write: what the key may, and no longer than it is there.
 *  @throws NotFound, Invalid, Conflict where the storage has no such key or no address yet */
export async function signUrl(
  ctx: RequestContext,
  storageId: number,
  { method, path, parameters = {}, expires_seconds }: SignUrl,
) {
  const row = await access.find(ctx.db, ctx, storageId);
  checkSigned(path, parameters);
  if (row.address === null) throw new Conflict(`Storage ${row.name} is not there yet; wait for its task`);
  const key = await findSigningKey(ctx.db, row.id);
  if (!key) throw new Conflict(`Storage ${row.name} has no access key that may write; create one`);
  const url = new URL(encodePath(path), row.address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.searchParams.set('X-Amz-Expires', String(expires_seconds));
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    accessKeyId: key.access_key,
    secretAccessKey: openSecret(ctx.cipher, key),
    service: 's3',
    region: REGION,
    signQuery: true,
    datetime: ctx.clock
      .now()
      .toISOString()
      .replace(/[:-]|\.\d{3}/g, ''),
  });
  const signed = (await signer.sign()).url;
  return {
    url: signed.href,
    passed_on: `${PASSED_ON}/${row.id}${signed.pathname}${signed.search}`,
    expires_at: zuluTime(new Date(ctx.clock.now().getTime() + expires_seconds * 1000)),
  };
}

/** What an address may name: one bucket, or one object in it, as it is written. */
function checkSigned(path: string, parameters: Readonly<Record<string, string>>): void {
  const faults: Record<string, string[]> = {};
  const segments = path.split('/').slice(1);
  const isOdd = segments.some(
    (one, i) => one === '.' || one === '..' || (one === '' && i < segments.length - 1),
  );
  if (!path.startsWith('/') || isOdd)
    faults.path = ['must begin with / and have no empty segments and none that are . or ..'];
  const own = Object.keys(parameters).filter((name) => /^x-amz-(?!version-id)/i.test(name));
  if (own.length > 0) faults.parameters = [`must not have ${own.join(', ')}: the signature adds it`];
  if (Object.keys(faults).length > 0) throw new Invalid(faults);
}

/** Where the server of a storage is, and by which authority it is known; undefined: there is none. */
export async function storageAddress(db: Db, storageId: number) {
  const row = await db.row<{ address: string | null; ca_certificate: string | null }>(
    sql`select address, ca_certificate from object_storages where id = ${storageId} and status <> 'deleted'`,
  );
  return row?.address ? { url: row.address, authority: row.ca_certificate } : undefined;
}
