import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { encodePath, Signer } from '../../signing/src/aws-signature.ts';
import type { BucketSettings } from '../../signing/src/bucket-settings.ts';

const PATIENCE_MS = 10_000;
/** Of an error's body; servers say what is wrong at its beginning. */
const ERROR_BYTES = 16 * 1024;

export interface Requested {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request, and the answer, when it is aborted. */
  readonly signal?: AbortSignal;
}

/** What an S3 server says when it refuses, without anything that is secret. */
export interface Refusal {
  readonly status: number;
  /** Its word for the error; empty for HEAD. */
  readonly code: string;
  /** A sentence for who runs the edge. */
  readonly reason: string;
  /** Whether only other settings help, or another bucket or key. */
  readonly isSetting: boolean;
}

/** Objects of one bucket, read with signed requests; the bucket's name stands in the path. */
export class Bucket {
  readonly name: string;
  readonly #settings: BucketSettings;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #signer: Signer;

  constructor(settings: BucketSettings) {
    this.#settings = settings;
    this.name = settings.bucket;
    this.#client = settings.endpoint.startsWith('https:') ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: 256 });
    this.#signer = new Signer(settings);
  }

  /** @param file name of the object below the prefix
   *  @throws ETIMEDOUT when the server is silent, and what the network says */
  ask(file: string, requested: Requested = {}): Promise<IncomingMessage> {
    const { prefix } = this.#settings;
    return this.#send(`/${prefix === '' ? file : `${prefix}/${file}`}`, '', requested);
  }

  /** @returns why the bucket cannot be read; undefined when it can, or when this key may not list it, which
   *  reading does not need
   *  @throws when the server cannot be asked */
  async check(): Promise<Refusal | undefined> {
    const answer = await this.#send('', 'list-type=2&max-keys=1');
    if (answer.statusCode === 200) {
      answer.resume();
      return undefined;
    }
    const refusal = await this.refusal(answer);
    return refusal.code === 'AccessDenied' ? undefined : refusal;
  }

  /** Reads why an answer is none of what was asked for. */
  async refusal(answer: IncomingMessage): Promise<Refusal> {
    const status = answer.statusCode ?? 0;
    const text = await beginning(answer);
    const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? '';
    const known = this.#reasons()[code];
    const message = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? '';
    const said = `the S3 server answers ${[status, code, message].filter(Boolean).join(' ')}`;
    return { status, code, reason: known ?? said, isSetting: known !== undefined };
  }

  close(): void {
    this.#agent.destroy();
  }

  #reasons(): Readonly<Record<string, string>> {
    const { bucket, endpoint, region } = this.#settings;
    const otherRegion = `the bucket "${bucket}" is not in the region "${region}": set VIRGA_EDGE_S3_REGION`;
    return {
      NoSuchBucket: `there is no bucket "${bucket}" at ${endpoint}: see VIRGA_EDGE_ORIGIN`,
      InvalidAccessKeyId: `${endpoint} does not know the access key of VIRGA_EDGE_S3_CREDENTIALS`,
      SignatureDoesNotMatch:
        'the secret key of VIRGA_EDGE_S3_CREDENTIALS is not the one that belongs to its access key',
      AccessDenied: `the key of VIRGA_EDGE_S3_CREDENTIALS may not read this in the bucket "${bucket}"`,
      AuthorizationHeaderMalformed: otherRegion,
      PermanentRedirect: otherRegion,
      RequestTimeTooSkewed: "this machine's clock is not that of the S3 server",
    };
  }

  #send(rest: string, query: string, { method = 'GET', headers = {}, signal }: Requested = {}) {
    const { protocol, host, pathname } = new URL(this.#settings.endpoint);
    const path = encodePath(`${pathname.replace(/\/$/, '')}/${this.name}${rest}`);
    const target = `${protocol}//${host}${path}${query && `?${query}`}`;
    const signed = this.#signer.sign({ method, host, path, query, headers }, new Date());
    return this.#exchange(target, { method, headers: signed, agent: this.#agent, signal });
  }

  /** The server may have closed a kept connection in the moment in which it was used: then another one is. */
  #exchange(target: string, options: http.RequestOptions): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const requested = this.#client.request(target, options);
      requested.setTimeout(PATIENCE_MS, () => {
        requested.destroy(Object.assign(new Error('the S3 server does not answer'), { code: 'ETIMEDOUT' }));
      });
      requested.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
        if (requested.reusedSocket && error.code === 'ECONNRESET')
          this.#exchange(target, options).then(resolve, reject);
        else reject(error);
      });
      requested.end();
    });
  }
}

async function beginning(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) {
    text += chunk;
    if (text.length > ERROR_BYTES) break;
  }
  return text;
}
