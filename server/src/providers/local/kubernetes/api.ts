import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { readForeignText } from '../host/files.ts';
import type { Paths } from './paths.ts';

export const API_PORT = 6443;
const PATIENCE_MS = 5_000;
/** Clusters are looked at each second: a handshake for each look would cost more than the look. */
const AGENT = new Agent({ keepAlive: true, maxFreeSockets: 2 });

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, of which few fields are read
  readonly body: any;
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Asks the API server of a cluster, as an administrator of it.
 *  @throws Error when it does not answer */
export function ask(paths: Paths, address: string, call: ApiCall): Promise<ApiAnswer> {
  const text = call.body === undefined ? undefined : JSON.stringify(call.body);
  const type = call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: address,
        port: API_PORT,
        path: call.path,
        method: call.method ?? 'GET',
        ca: readFileSync(paths.caCertificate),
        cert: readForeignText(join(paths.data, 'virga.crt')) ?? '',
        key: readForeignText(join(paths.data, 'virga.key')) ?? '',
        timeout: PATIENCE_MS,
        agent: AGENT,
        headers: {
          accept: 'application/json',
          ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const said = Buffer.concat(chunks).toString('utf8');
          const isJson = response.headers['content-type']?.includes('json') === true;
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(said) : said });
        });
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('the API server does not answer')));
    sent.once('error', reject);
    sent.end(text);
  });
}

/** Whether the API server is ready, and lets us in. */
export async function isReady(paths: Paths, address: string): Promise<boolean> {
  try {
    return (await ask(paths, address, { path: '/readyz' })).status === 200;
  } catch {
    return false;
  }
}
