import { ask, type BucketOf, sign } from './s3.ts';

/** Larger files go in parts, so that a part that fails is all that is lost. */
const PART = 16 * 1024 * 1024;
const AT_ONCE = 3;

export interface Upload {
  readonly of: BucketOf;
  readonly key: string;
  readonly file: File;
  readonly signal: AbortSignal;
  /** Told how many bytes have been sent. */
  readonly sent: (bytes: number) => void;
}

/** Sends a file to a bucket: small ones at once, others in parts, several at a time. What was begun is given up when it
 *  fails or is cancelled.
 *  @throws what the API or the storage refused with, or an AbortError */
export async function upload({ of, key, file, signal, sent }: Upload): Promise<void> {
  const type = file.type || 'application/octet-stream';
  if (file.size <= PART) {
    const { passed_on } = await sign(of, { method: 'PUT', key });
    await put(passed_on, file, { signal, sent, type });
    return;
  }
  const uploadId = await begin(of, key, type);
  try {
    const etags = await sendParts({ of, key, file, signal, sent }, uploadId);
    const parts = etags.map(
      (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    await ask(of, { method: 'POST', key, query: { uploadId } }, { body, headers: XML, signal });
  } catch (error) {
    await ask(of, { method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
    throw error;
  }
}

const XML = { 'content-type': 'application/xml' };

async function begin(of: BucketOf, key: string, type: string): Promise<string> {
  const answer = await ask(
    of,
    { method: 'POST', key, query: { uploads: '' } },
    { headers: { 'content-type': type } },
  );
  const document = new DOMParser().parseFromString(await answer.text(), 'application/xml');
  return document.getElementsByTagName('UploadId')[0]?.textContent ?? '';
}

async function sendParts({ of, key, file, signal, sent }: Upload, uploadId: string): Promise<string[]> {
  const count = Math.ceil(file.size / PART);
  const etags: string[] = Array(count).fill('');
  const progress: number[] = Array(count).fill(0);
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const query = { uploadId, partNumber: String(index + 1) };
      const { passed_on } = await sign(of, { method: 'PUT', key, query });
      const part = file.slice(index * PART, (index + 1) * PART);
      etags[index] = await put(passed_on, part, {
        signal,
        type: 'application/octet-stream',
        sent: (bytes) => {
          progress[index] = bytes;
          sent(progress.reduce((sum, one) => sum + one, 0));
        },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return etags;
}

interface Put {
  readonly signal: AbortSignal;
  readonly sent: (bytes: number) => void;
  readonly type: string;
}

/** Only this kind of request says how far it is. @returns the ETag */
function put(url: string, body: Blob, { signal, sent, type }: Put): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    signal.addEventListener('abort', stop);
    request.open('PUT', url);
    request.setRequestHeader('content-type', type);
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onabort = () => reject(new DOMException('It was cancelled', 'AbortError'));
    request.onerror = () => reject({ message: 'The connection was lost while it was sent; upload it again' });
    request.onload = () => {
      if (request.status < 300) return resolve(request.getResponseHeader('etag') ?? '');
      const said = /<Message>([^<]*)</.exec(request.responseText)?.[1];
      reject({ message: said ?? `The storage answers ${request.status}` });
    };
    request.onloadend = () => signal.removeEventListener('abort', stop);
    request.send(body);
  });
}
