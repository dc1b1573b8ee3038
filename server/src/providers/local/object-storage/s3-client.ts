import { createHash } from 'node:crypto';
import http from 'node:http';
import { encodePath, encodeQuery, Signer } from '../../../../../signing/src/aws-signature.ts';

/** A few signed calls to a server at a socket. */

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

/** @param now what the server's clock says, too
 *  @throws when there is no answer; one that refuses is an answer */
export function ask(
  socketPath: string,
  credentials: Credentials,
  call: S3Call,
  now: Date,
): Promise<S3Answer> {
  const { method, path, query = {}, body = '' } = call;
  const target = encodePath(path);
  const search = encodeQuery(query);
  const signer = new Signer({ region: REGION, accessKey: credentials.access, secretKey: credentials.secret });
  const about = {
    'content-length': String(Buffer.byteLength(body)),
    'content-md5': createHash('md5').update(body).digest('base64'),
  };
  const headers = signer.sign(
    { method, host: 'storage', path: target, query: search, headers: about, body },
    now,
  );
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
