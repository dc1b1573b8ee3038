import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Bucket } from './bucket.ts';
import { cacheControl, mediaType, OTHER_TYPE } from './media-types.ts';
import { type Kept, ObjectCache } from './object-cache.ts';
import { type Origin, refuse } from './origin.ts';
import { passOn } from './pass-on.ts';
import { parseRange } from './ranges.ts';
import { sendWhole } from './send.ts';

/** How long a kept object is served without asking whether it has changed; live playlists change every few seconds. */
const FRESH_MS = 500;
/** Names of objects that are too large to be kept, which are remembered. */
const LARGE_NAMES = 10_000;
/** The same reason is not said again for so long. */
const SAID_MS = 60_000;
const DESCRIBED = ['content-length', 'content-range', 'content-encoding', 'last-modified', 'etag'] as const;

export interface BucketOriginOptions {
  readonly bucket: Bucket;
  readonly cacheBytes: number;
  readonly log: (message: string, error: unknown) => void;
}

type Headers = Readonly<Record<string, string>>;

/** Objects of a bucket. Whole ones that are not too large are kept in memory, and asked for once however many
 *  viewers want them; ranges of the others are passed on. */
export class BucketOrigin implements Origin {
  readonly #options: BucketOriginOptions;
  readonly #cache: ObjectCache;
  /** Objects that are being asked for, so that many viewers are one request. */
  readonly #flights = new Map<string, Promise<Kept | number | undefined>>();
  readonly #large = new Set<string>();
  readonly #said = new Map<string, number>();

  constructor(options: BucketOriginOptions) {
    this.#options = options;
    this.#cache = new ObjectCache(options.cacheBytes);
  }

  async serve(file: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
    try {
      const kept = await this.#keptOf(file, request);
      if (typeof kept === 'number') return refuse(response, kept);
      if (kept) return sendWhole(kept, kept.body, request, response);
      return await this.#pass(file, request, response);
    } catch (error) {
      // A viewer who leaves is nothing to report.
      if (response.destroyed) return 0;
      this.#say('the bucket cannot be reached', String(error));
      return refuse(response, (error as NodeJS.ErrnoException).code === 'ETIMEDOUT' ? 504 : 502);
    }
  }

  close(): void {
    this.#cache.clear();
    this.#options.bucket.close();
  }

  /** @returns undefined when it is to be passed on, the status of a refusal when it cannot be had */
  #keptOf(file: string, { method, headers }: IncomingMessage) {
    const kept = this.#cache.get(file);
    if (kept && performance.now() - kept.checkedAt < FRESH_MS) return kept;
    // For a part nobody waits for the whole.
    const isWhole = method === 'GET' && headers.range === undefined && !this.#large.has(file);
    if (!kept && !isWhole) return undefined;
    let flight = this.#flights.get(file);
    if (!flight) {
      flight = this.#fetch(file, kept).finally(() => this.#flights.delete(file));
      this.#flights.set(file, flight);
    }
    return flight;
  }

  async #fetch(file: string, kept: Kept | undefined): Promise<Kept | number | undefined> {
    const headers: Headers = kept ? { 'if-none-match': kept.etag } : {};
    const answer = await this.#options.bucket.ask(file, { headers });
    if (kept && answer.statusCode === 304) {
      answer.resume();
      kept.checkedAt = performance.now();
      return kept;
    }
    this.#cache.delete(file);
    if (answer.statusCode !== 200) return this.#refusal(answer);
    const size = Number(answer.headers['content-length'] ?? Number.NaN);
    if (!this.#cache.expect(size)) {
      answer.destroy();
      this.#remember(file);
      return undefined;
    }
    let arrived: Kept | undefined;
    try {
      const body = Buffer.concat(await answer.toArray());
      if (body.length !== size) throw new Error('the S3 server broke off');
      arrived = keptFrom(file, answer, body);
    } finally {
      this.#cache.arrived(size, file, arrived);
    }
    return arrived;
  }

  #remember(file: string): void {
    const [oldest] = this.#large;
    if (this.#large.size >= LARGE_NAMES && oldest !== undefined) this.#large.delete(oldest);
    this.#large.add(file);
  }

  /** Asks for what the viewer asks for, and hands it on as it comes. */
  async #pass(file: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
    const closed = new AbortController();
    response.on('close', () => closed.abort());
    const method = request.method === 'HEAD' ? ('HEAD' as const) : ('GET' as const);
    const ask = (headers: Headers) =>
      this.#options.bucket.ask(file, { method, headers, signal: closed.signal });
    const conditions = conditionsOf(request);
    const first = await ask({ ...conditions, ...rangeOf(request) });
    // If-Range, as S3 servers understand it: another version is requested whole.
    const changed = first.statusCode === 412;
    if (changed) first.resume();
    const answer = changed ? await ask(conditions) : first;
    const status = answer.statusCode ?? 502;
    if (status === 416) {
      answer.resume();
      return refuse(response, 416, { 'content-range': `bytes */${await this.#sizeOf(file, answer)}` });
    }
    if (![200, 206, 304].includes(status)) return refuse(response, await this.#refusal(answer));
    response.writeHead(status, headersOf(file, answer));
    return passOn(answer, response);
  }

  async #sizeOf(file: string, refused: IncomingMessage): Promise<string> {
    const said = /\/(\d+)$/.exec(refused.headers['content-range'] ?? '')?.[1];
    if (said !== undefined) return said;
    const answer = await this.#options.bucket.ask(file, { method: 'HEAD' });
    answer.resume();
    return answer.headers['content-length'] ?? '*';
  }

  /** @returns the status for the viewer: who runs the edge reads in the log what is wrong with it */
  async #refusal(answer: IncomingMessage): Promise<404 | 502> {
    const { status, code, reason } = await this.#options.bucket.refusal(answer);
    if (status === 404 && code !== 'NoSuchBucket') return 404;
    this.#say('the bucket gives nothing', reason);
    return 502;
  }

  #say(message: string, reason: string): void {
    const now = performance.now();
    if (now - (this.#said.get(reason) ?? Number.NEGATIVE_INFINITY) < SAID_MS) return;
    if (this.#said.size > 100) this.#said.clear();
    this.#said.set(reason, now);
    this.#options.log(message, reason);
  }
}

function conditionsOf({ headers }: IncomingMessage): Headers {
  const conditions: Record<string, string> = {};
  for (const name of ['if-none-match', 'if-modified-since'] as const) {
    const value = headers[name];
    if (value !== undefined) conditions[name] = value;
  }
  return conditions;
}

/** The range and its condition in the words of S3, which has no If-Range. What is no single range is answered with
 *  the whole, as RFC 9110 allows. */
function rangeOf({ headers: { range, 'if-range': condition } }: IncomingMessage): Headers {
  if (range === undefined || parseRange(range, Number.POSITIVE_INFINITY) === undefined) return {};
  return { range, ...(typeof condition === 'string' && unlessChanged(condition)) };
}

const unlessChanged = (condition: string): Headers =>
  condition.startsWith('"') ? { 'if-match': condition } : { 'if-unmodified-since': condition };

function keptFrom(file: string, answer: IncomingMessage, body: Buffer): Kept {
  const modified = Math.floor(Date.parse(answer.headers['last-modified'] ?? '') / 1000);
  return {
    etag: answer.headers.etag ?? '',
    modified,
    size: body.length,
    headers: headersOf(file, answer),
    body,
    checkedAt: performance.now(),
  };
}

function headersOf(file: string, answer: IncomingMessage): OutgoingHttpHeaders {
  const described = DESCRIBED.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    'content-type': mediaType(file) ?? answer.headers['content-type'] ?? OTHER_TYPE,
    'cache-control': cacheControl(file),
    'accept-ranges': 'bytes',
    ...Object.fromEntries(described),
  };
}
