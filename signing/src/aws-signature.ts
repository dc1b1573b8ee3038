import { createHash, createHmac } from 'node:crypto';

/** Signatures of requests to S3 servers: AWS Signature Version 4, with the headers, as Amazon describes it under
 *  "Authenticating Requests: Using the Authorization Header". */

export interface SigningKey {
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface Unsigned {
  readonly method: string;
  /** Host and port as they are sent. */
  readonly host: string;
  /** Encoded with `encodePath`. */
  readonly path: string;
  /** Names and values, encoded, in the order of the names. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const EMPTY = sha256('');

/** A path whose slashes stay; everything else that is no letter, digit or one of `-._~` is escaped. */
export function encodePath(path: string): string {
  return path.split('/').map(encodePart).join('/');
}

/** A query whose names are in order. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .sort()
    .join('&');

const encodePart = (part: string) =>
  encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Signs for one key. What follows from the secret for a day is made once a day. */
export class Signer {
  readonly #key: SigningKey;
  #day: { readonly scope: string; readonly key: Buffer } | undefined;

  constructor(key: SigningKey) {
    this.#key = key;
  }

  /** @returns the headers of the request, with those that the signature needs */
  sign(
    { method, host, path, query = '', headers = {}, body }: Unsigned,
    now: Date,
  ): Readonly<Record<string, string>> {
    const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = this.#keyOf(time.slice(0, 8));
    const digest = body === undefined ? EMPTY : sha256(body);
    const all: Record<string, string> = {
      ...headers,
      host,
      'x-amz-content-sha256': digest,
      'x-amz-date': time,
    };
    const names = Object.keys(all).sort();
    const lines = names.map((name) => `${name}:${all[name]?.trim().replace(/ +/g, ' ')}\n`).join('');
    const signed = names.join(';');
    const request = [method, path, query, lines, signed, digest].join('\n');
    const signature = hmac(day.key, [ALGORITHM, time, day.scope, sha256(request)].join('\n')).toString('hex');
    const credential = `${this.#key.accessKey}/${day.scope}`;
    const authorization = `${ALGORITHM} Credential=${credential},SignedHeaders=${signed},Signature=${signature}`;
    return { ...all, authorization };
  }

  #keyOf(date: string) {
    const { region, secretKey } = this.#key;
    const scope = `${date}/${region}/s3/aws4_request`;
    if (this.#day?.scope !== scope) {
      const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretKey}`);
      this.#day = { scope, key: key as Buffer };
    }
    return this.#day;
  }
}
