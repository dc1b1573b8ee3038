import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import https from 'node:https';
import { cacheControl, mediaType, OTHER_TYPE } from './media-types.ts';
import { type Origin, refuse } from './origin.ts';
import { passOn } from './pass-on.ts';

const PATIENCE_MS = 10_000;
const ASKED = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const;
const ANSWERED = ['content-length', 'content-range', 'last-modified', 'etag', 'accept-ranges'] as const;
const PASSED = [200, 206, 304, 404, 416];

/** Another HTTP server. It is asked for the same ranges and conditions, and never sent the token. */
export class UpstreamOrigin implements Origin {
  readonly #base: string;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;

  /** @param base URL without a slash at the end */
  constructor(base: string) {
    this.#base = base;
    this.#client = base.startsWith('https:') ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: 256 });
  }

  async serve(file: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
    // Low-latency playlists are asked for with directives in the query.
    const query = /\?.*/s.exec(request.url ?? '')?.[0] ?? '';
    const address = `${this.#base}/${file.split('/').map(encodeURIComponent).join('/')}${query}`;
    let answer: IncomingMessage;
    try {
      answer = await this.#ask(address, request, response);
    } catch (error) {
      return refuse(response, (error as NodeJS.ErrnoException).code === 'ETIMEDOUT' ? 504 : 502);
    }
    const status = answer.statusCode ?? 502;
    if (!PASSED.includes(status) || status === 404 || status === 416) {
      answer.resume();
      const size = answer.headers['content-range'];
      return refuse(response, PASSED.includes(status) ? status : 502, size ? { 'content-range': size } : {});
    }
    response.writeHead(status, headersOf(file, answer));
    return passOn(answer, response);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(address: string, request: IncomingMessage, response: ServerResponse): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = pick(request.headers, ASKED);
      const method = request.method ?? 'GET';
      const requested = this.#client.request(address, { method, headers, agent: this.#agent });
      requested.setTimeout(PATIENCE_MS, () => {
        requested.destroy(Object.assign(new Error('the origin does not answer'), { code: 'ETIMEDOUT' }));
      });
      requested.on('response', resolve).on('error', reject);
      response.on('close', () => requested.destroy());
      requested.end();
    });
  }
}

function headersOf(file: string, answer: IncomingMessage): OutgoingHttpHeaders {
  return {
    'content-type': mediaType(file) ?? answer.headers['content-type'] ?? OTHER_TYPE,
    'cache-control': cacheControl(file),
    ...pick(answer.headers, ANSWERED),
  };
}

function pick(headers: http.IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
