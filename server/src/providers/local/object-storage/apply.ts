import { isDeepStrictEqual } from 'node:util';
import type {
  DesiredBucket,
  DesiredKey,
  DesiredStorage,
  ObservedBucket,
} from '../../../features/object-storage/port.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import {
  type BucketAccess,
  corsWith,
  isPublicBy,
  opensForAll,
  originsIn,
  policyWith,
} from './access-rules.ts';
import { elements, escaped, type S3Answer } from './s3-client.ts';
import type { Notes, Server } from './server.ts';

/** Brings the keys and buckets of a server to what is desired. What its clients have made themselves stays. */

export async function applyAll(
  server: Server,
  { keys, buckets }: DesiredStorage,
  retracted: readonly string[],
): Promise<void> {
  const known = await keysOf(server);
  for (const key of keys) await applyKey(server, key, known);
  for (const name of retracted) await removeBucket(server, name);
  await applyBuckets(server, keys, buckets);
  const desired = new Set(keys.map(({ accessKey }) => accessKey));
  // Last: policies must not name who is not there.
  for (const access of known.keys()) {
    if (desired.has(access)) continue;
    expectDone(
      await server.askAdmin({ method: 'PATCH', path: '/delete-user', query: { access } }),
      'a key could not be deleted',
    );
  }
}

/** Keys that only read. */
export const readersOf = (keys: readonly DesiredKey[]): string[] =>
  keys
    .filter(({ readOnly }) => readOnly)
    .map(({ accessKey }) => accessKey)
    .sort();

const roleOf = ({ readOnly }: DesiredKey) => (readOnly ? 'user' : 'admin');

/** What is known of each key. */
async function keysOf(server: Server): Promise<Map<string, string>> {
  const answer = await server.askAdmin({ method: 'PATCH', path: '/list-users' });
  expectDone(answer, 'keys could not be listed');
  const [access, secrets, roles] = ['Access', 'Secret', 'Role'].map((name) => elements(answer.text, name));
  return new Map((access ?? []).map((each, i) => [each, `${secrets?.[i]} ${roles?.[i]}`]));
}

async function applyKey(server: Server, key: DesiredKey, known: ReadonlyMap<string, string>): Promise<void> {
  const { accessKey, secret } = key;
  if (known.get(accessKey) === `${secret} ${roleOf(key)}`) return;
  if (known.has(accessKey))
    expectDone(
      await server.askAdmin({ method: 'PATCH', path: '/delete-user', query: { access: accessKey } }),
      'a key could not be changed',
    );
  const body = `<Account><Access>${accessKey}</Access><Secret>${escaped(secret)}</Secret><Role>${roleOf(key)}</Role><UserID>0</UserID><GroupID>0</GroupID></Account>`;
  expectDone(
    await server.askAdmin({ method: 'PATCH', path: '/create-user', body }),
    'a key could not be made',
  );
}

async function removeBucket(server: Server, name: string): Promise<void> {
  const answer = await server.ask({ method: 'DELETE', path: `/${name}` });
  if (answer.text.includes('BucketNotEmpty')) {
    const { text } = await server.ask({ method: 'GET', path: `/${name}`, query: { 'max-keys': '1' } });
    const hasObjects = elements(text, 'Key').length > 0;
    throw new TaskFailed(
      hasObjects ? 'it has objects' : 'it has older versions of objects: delete those, too',
    );
  }
  if (answer.status !== 404) expectDone(answer, 'a bucket could not be deleted');
}

async function applyBuckets(
  server: Server,
  keys: readonly DesiredKey[],
  buckets: readonly DesiredBucket[],
): Promise<void> {
  const there = new Set(await server.bucketNames());
  const readers = readersOf(keys);
  for (const bucket of buckets) {
    if (!there.has(bucket.name))
      expectDone(
        await server.ask({ method: 'PUT', path: `/${bucket.name}` }),
        `bucket ${bucket.name} could not be made`,
      );
    there.delete(bucket.name);
    await settle(server, bucket, readers);
  }
  const plain = { isPublic: false, allowedOrigins: [], expirationDays: 0 };
  for (const name of there) await settle(server, { name, ...plain }, readers);
}

const NOTHING: BucketAccess = { isPublic: false, allowedOrigins: [], readers: [] };

/** Sets what was not set so before, beside what clients have set: what they change stays until it is changed here. */
async function settle(server: Server, bucket: DesiredBucket, readers: readonly string[]): Promise<void> {
  const notes = server.notes as Notes;
  const { name, isPublic, allowedOrigins } = bucket;
  const desired = { isPublic, allowedOrigins, readers };
  const before = noted(notes.applied[name]);
  const isAsBefore = (...parts: (keyof BucketAccess)[]) =>
    parts.every((part) => JSON.stringify(before[part]) === JSON.stringify(desired[part]));
  if (isAsBefore('isPublic', 'allowedOrigins', 'readers')) return;
  if (!isAsBefore('isPublic', 'readers'))
    await change(server, name, 'policy', (there) => policyWith(name, there, desired, before));
  if (!isAsBefore('allowedOrigins')) await change(server, name, 'cors', (there) => corsWith(there, desired));
  noteApplied(server, [bucket], readers);
}

/** What buckets are set to, by the API or by S3 clients: only what differs from it is set again. */
export function noteApplied(
  server: Server,
  buckets: readonly ObservedBucket[],
  readers: readonly string[],
): void {
  const notes = server.notes as Notes;
  const applied = buckets.map(({ name, isPublic, allowedOrigins }) => [
    name,
    JSON.stringify([isPublic, allowedOrigins, readers]),
  ]);
  server.note({ ...notes, applied: { ...notes.applied, ...Object.fromEntries(applied) } });
}

function noted(text: string | undefined): BucketAccess {
  if (text === undefined) return NOTHING;
  const [isPublic, allowedOrigins, readers] = JSON.parse(text);
  return { isPublic, allowedOrigins, readers };
}

/** A bucket as the server has it. Keys that only read get to buckets that S3 clients have made, too. */
export async function observeBucket(
  server: Server,
  name: string,
  readers: readonly string[],
): Promise<ObservedBucket> {
  const policy = await read(server, name, 'policy');
  if (withReaders(name, policy, readers) !== null)
    await change(server, name, 'policy', (there) => withReaders(name, there, readers) ?? there);
  const allowedOrigins = originsIn(await read(server, name, 'cors'));
  return { name, isPublic: isPublicBy(name, policy), allowedOrigins };
}

/** @returns the policy with what these keys need; null: it has that already, and nothing else of such keys */
function withReaders(name: string, there: string, readers: readonly string[]): string | null {
  const before = { ...NOTHING, isPublic: opensForAll(there) };
  const nextPolicy = policyWith(name, there, { ...before, readers }, before);
  if (nextPolicy === null) return null;
  return there !== '' && isDeepStrictEqual(JSON.parse(nextPolicy), JSON.parse(there)) ? null : nextPolicy;
}

/** @returns empty: there is none */
async function read(server: Server, bucket: string, part: 'policy' | 'cors'): Promise<string> {
  const there = await server.ask({ path: `/${bucket}`, query: { [part]: '' }, method: 'GET' });
  if (there.status === 404) return '';
  expectDone(there, `the ${part} of bucket ${bucket} could not be read`);
  return there.text;
}

/** @param to what becomes of what is there; null: nothing is left */
async function change(
  server: Server,
  bucket: string,
  part: 'policy' | 'cors',
  to: (there: string) => string | null,
): Promise<void> {
  const call = { path: `/${bucket}`, query: { [part]: '' } };
  const there = await read(server, bucket, part);
  const body = to(there);
  if (body === null && there === '') return;
  const answer = await server.ask(
    body === null ? { ...call, method: 'DELETE' } : { ...call, method: 'PUT', body },
  );
  if (body === null && answer.status === 404) return;
  expectDone(answer, `the ${part} of bucket ${bucket} could not be set`);
}

function expectDone({ status, text }: S3Answer, what: string): void {
  if (status >= 200 && status < 300) return;
  const message = elements(text, 'Message')[0] ?? `status ${status}`;
  if (status >= 500) throw new Error(`${what}: ${message}`);
  throw new TaskFailed(`${what}: ${message}`);
}
