import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';

/** A few signed calls (AWS Signature Version 4) to a server at a socket. */

export interface Credentials {
  readonly access: string;
  readonly secret: string;
}

export interface S3Call {
  readonly method: string;
  /** Not encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface S3Answer {
  readonly status: number;
  readonly text: string;
}

const REGION = 'us-east-1';
const PATIENCE_MS = 20_000;

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** @param now what the server's clock says, too
 *  @throws when there is no answer; one that refuses is an answer */
export function ask(
  socketPath: string,
  credentials: Credentials,
  call: S3Call,
  now: Date,
): Promise<S3Answer> {
  const { method, path, query = {}, body = '' } = call;
  const target = path.split('/').map(encoded).join('/');
  const search = Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const headers = signed({ method, target, search, body }, credentials, now);
  return new Promise((resolve, reject) => {
    const options = { socketPath, method, path: search ? `${target}?${search}` : target, headers };
    const request = http.request({ ...options, timeout: PATIENCE_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    request.on('error', reject).end(body);
  });
}

function signed(
  request: { method: string; target: string; search: string; body: string },
  { access, secret }: Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const digest = hash(request.body);
  const headers: Record<string, string> = {
    'content-length': String(Buffer.byteLength(request.body)),
    'content-md5': createHash('md5').update(request.body).digest('base64'),
    host: 'storage',
    'x-amz-content-sha256': digest,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const { method, target, search } = request;
  const canonical = [method, target, search, lines, names.join(';'), digest].join('\n');
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const key = sign(sign(sign(sign(`AWS4${secret}`, day), REGION), 's3'), 'aws4_request');
  const signature = sign(key, ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n')).toString('hex');
  const credential = `${access}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** The texts of all elements of a name. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => plain(text));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plain = (text: string) =>
  text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (all, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? all;
    const hex = /^#x/i.test(name);
    return String.fromCodePoint(Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10));
  });

export const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
