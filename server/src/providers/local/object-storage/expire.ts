import type { DesiredBucket } from '../../../features/object-storage/port.ts';
import { elements } from './s3-client.ts';
import type { Server } from './server.ts';

/** The server knows no lifecycle: what is to go after some days is looked for and deleted from here. */

const DAY_MS = 86_400_000;
/** Uploads in parts that nobody goes on with. */
const UPLOAD_DAYS = 7;

/** Deletes objects that are older than their bucket keeps them, and gives up uploads that were left.
 *  @param signal that it shall end before that
 *  @returns how many objects there were
 *  @throws Error when it was ended */
export async function expire(
  server: Server,
  buckets: readonly DesiredBucket[],
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let gone = 0;
  for (const { name, expirationDays } of buckets) {
    await abortUploads(server, name, now.getTime() - UPLOAD_DAYS * DAY_MS);
    if (expirationDays > 0)
      gone += await deleteOlder(server, name, now.getTime() - expirationDays * DAY_MS, signal);
  }
  return gone;
}

async function deleteOlder(
  server: Server,
  bucket: string,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  let gone = 0;
  let token: string | undefined;
  do {
    const query = { 'list-type': '2', ...(token ? { 'continuation-token': token } : {}) };
    const { status, text } = await server.ask({ method: 'GET', path: `/${bucket}`, query });
    if (status !== 200) return gone;
    const [keys, times] = [elements(text, 'Key'), elements(text, 'LastModified')];
    for (const [i, key] of keys.entries()) {
      if (!(Date.parse(times[i] ?? '') < before)) continue;
      signal.throwIfAborted();
      await server.ask({ method: 'DELETE', path: `/${bucket}/${key}` });
      gone += 1;
    }
    token = elements(text, 'NextContinuationToken')[0] || undefined;
  } while (token !== undefined);
  return gone;
}

async function abortUploads(server: Server, bucket: string, before: number): Promise<void> {
  const { status, text } = await server.ask({ method: 'GET', path: `/${bucket}`, query: { uploads: '' } });
  if (status !== 200) return;
  for (const upload of text.split('<Upload>').slice(1)) {
    const [key, uploadId, begun] = ['Key', 'UploadId', 'Initiated'].map((name) => elements(upload, name)[0]);
    if (!key || !uploadId || !(Date.parse(begun ?? '') < before)) continue;
    await server.ask({ method: 'DELETE', path: `/${bucket}/${key}`, query: { uploadId } });
  }
}
