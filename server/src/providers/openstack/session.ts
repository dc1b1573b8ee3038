import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../kernel/errors.ts';
import { Breaker } from './breaker.ts';
import { EngineFault, faultOf } from './faults.ts';
import type { Credential, OpenStackSettings } from './settings.ts';

export type Service = 'network' | 'load-balancer' | 'key-manager' | 'compute' | 'block-storage' | 'image';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Where the API of a service begins, below what the catalogue names. */
const BASES: Readonly<Record<Service, string>> = {
  network: '/v2.0',
  'load-balancer': '/v2',
  'key-manager': '/v1',
  compute: '/v2.1',
  'block-storage': '/v3',
  image: '/v2',
};
/** What a service is called in some catalogues. */
const ALIASES: Readonly<Partial<Record<Service, readonly string[]>>> = {
  'block-storage': ['volumev3', 'block-store'],
};
/** The versions that calls are made in, of those services that have many: of 2021. */
export const MICROVERSIONS = { compute: 90, 'block-storage': 64 } as const;
const VERSION_HEADERS: Readonly<Partial<Record<Service, string>>> = {
  compute: `compute 2.${MICROVERSIONS.compute}`,
  'block-storage': `volume 3.${MICROVERSIONS['block-storage']}`,
};

const AT_ONCE = 8;
const TIMEOUT_MS = 30_000;
/** Attempts of a call that may be repeated. */
const ATTEMPTS = 3;
const PAUSE_MS = 250;
const LONGEST_RETRY_AFTER_MS = 10_000;
/** A token is renewed this long before it ends. */
const EARLY_MS = 120_000;

export interface SessionOptions {
  readonly settings: Pick<OpenStackSettings, 'auth_url' | 'region_name' | 'interface'>;
  /** Opened each time that a token is asked for: kept nowhere. */
  readonly credential: () => Credential;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random?: () => number;
  readonly fetch?: typeof fetch;
}

interface Token {
  readonly text: string;
  readonly expiresAt: number;
  readonly projectId: string;
  readonly roles: readonly string[];
  /** When the credential ends; null: never; undefined: that could not be read. */
  readonly credentialEndsAt: string | null | undefined;
  readonly urls: ReadonlyMap<string, string>;
  /** The names of all regions of the catalogue. */
  readonly regions: ReadonlySet<string>;
}

export type Identity = Pick<Token, 'projectId' | 'roles' | 'credentialEndsAt' | 'urls' | 'regions'>;

/** What has been asked of a region, for its metrics. */
export interface SessionCounts {
  readonly calls: number;
  readonly failures: number;
}

/** Calls to the services of one region in the name of one credential: at most eight at once, and none while the
 *  region does not answer. */
export class Session {
  readonly #options: SessionOptions;
  readonly #breaker: Breaker;
  readonly #fetch: typeof fetch;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #token: Promise<Token> | undefined;
  #calls = 0;
  #failures = 0;
  #credentialEndsAt: number | null = null;
  #urls: ReadonlyMap<string, string> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#breaker = new Breaker({ now: options.now, random: options.random ?? Math.random });
  }

  /** Why the region cannot be asked at present, or null. */
  get fault(): string | null {
    return this.#breaker.fault;
  }

  get counts(): SessionCounts {
    return { calls: this.#calls, failures: this.#failures };
  }

  /** Milliseconds since 1970 when the credential ends; null: never, or that is not known. */
  get credentialEndsAt(): number | null {
    return this.#credentialEndsAt;
  }

  /** Whether the catalogue has no such service; false as long as nobody has signed in. */
  lacks(service: Service): boolean {
    return this.#urls !== undefined && urlIn(this.#urls, service) === undefined;
  }

  /** What the token says of who asks. */
  async identity(): Promise<Identity> {
    return this.#guarded(() => this.#currentToken());
  }

  /** One call. What changes nothing, or the same when it is repeated, is tried again when there was no answer.
   *  @param path below the version: `/ports?fields=id`
   *  @returns the body; an empty object where there is none
   *  @throws EngineFault */
  async call(service: Service, method: Method, path: string, body?: object): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#guarded(() => this.#requested(service, method, path, body));
      } catch (error) {
        const mayRepeat = error instanceof EngineFault && error.kind === 'unavailable' && method !== 'POST';
        if (!mayRepeat || attempt === ATTEMPTS || this.fault !== null) throw error;
        await delay(Math.min(error.retryAfterMs ?? PAUSE_MS * attempt, LONGEST_RETRY_AFTER_MS));
      }
    }
  }

  /** The versions that a service has. */
  async versions(service: Service): Promise<readonly string[]> {
    const answer = await this.#guarded(async () => {
      const { urls } = await this.#currentToken();
      return this.#sent('GET', new URL('/', urlOf(urls, service)).href, {}, undefined);
    });
    const { versions = [] } = (await this.#read(answer)) as { versions?: readonly { id: string }[] };
    return versions.map(({ id }) => id);
  }

  /** The newest version of a service that has many, after the point of `2.90`. */
  async microversion(service: keyof typeof MICROVERSIONS): Promise<number> {
    const { urls } = await this.identity();
    const url = `${urlOf(urls, service).replace(/\/[0-9a-f]{32}$/, '')}/`;
    const answer = await this.#guarded(async () => {
      const { text } = await this.#currentToken();
      return this.#sent('GET', url, { 'x-auth-token': text }, undefined);
    });
    const { version, versions = version ? [version] : [] } = (await this.#read(answer)) as {
      readonly version?: { readonly version: string };
      readonly versions?: readonly { readonly version: string }[];
    };
    return Math.max(0, ...versions.map((each) => Number(each.version.split('.')[1])).filter(Number.isFinite));
  }

  /** Forgets the token, as if it had ended. */
  forgetToken(): void {
    this.#token = undefined;
  }

  async #requested(
    service: Service,
    method: Method,
    path: string,
    body: object | undefined,
  ): Promise<unknown> {
    for (let renewed = false; ; renewed = true) {
      const token = await this.#currentToken();
      const url = `${urlOf(token.urls, service)}${path}`;
      const version = VERSION_HEADERS[service];
      const headers = version
        ? { 'x-auth-token': token.text, 'openstack-api-version': version }
        : { 'x-auth-token': token.text };
      const answer = await this.#sent(method, url, headers, body);
      if (answer.status !== 401) return this.#read(answer);
      // It was revoked before its time: once more with a new one, unless somebody has that already.
      if ((await this.#token) === token) this.#token = undefined;
      if (renewed) return this.#read(answer);
      await answer.text();
    }
  }

  async #read(answer: Response): Promise<unknown> {
    const text = await answer.text();
    if (!answer.ok) throw faultOf(answer.status, text, retryAfterMs(answer.headers.get('retry-after')));
    if (text === '') return {};
    try {
      return JSON.parse(text);
    } catch {
      throw new EngineFault('unavailable', answer.status, 'the answer is not JSON');
    }
  }

  async #sent(
    method: Method,
    url: string,
    headers: Record<string, string>,
    body: object | undefined,
  ): Promise<Response> {
    this.#calls++;
    try {
      return await this.#fetch(url, {
        method,
        headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
        body: body === undefined ? null : JSON.stringify(body),
      });
    } catch (error) {
      const { host } = new URL(url);
      throw new EngineFault('unavailable', 0, `${host} does not answer: ${causeOf(error)}`);
    }
  }

  /** One of the eight, counted by the breaker. */
  async #guarded<T>(call: () => Promise<T>): Promise<T> {
    this.#breaker.enter();
    await this.#enter();
    try {
      const result = await call();
      this.#breaker.succeeded();
      return result;
    } catch (error) {
      this.#note(error);
      throw error;
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  /** Only what says nothing of the request counts against the region. */
  #note(error: unknown): void {
    const fault = error instanceof EngineFault ? error : undefined;
    if (fault?.kind === 'credentials') {
      this.#failures++;
      this.#breaker.trip(`its credential is refused: ${fault.message}`);
    } else if (!fault || fault.kind === 'unavailable') {
      this.#failures++;
      this.#breaker.failed(messageOf(error));
    } else {
      this.#breaker.succeeded();
    }
  }

  async #enter(): Promise<void> {
    while (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }

  async #currentToken(): Promise<Token> {
    const requested = this.#token ?? this.#askForToken();
    const token = await requested;
    if (this.#options.now() < token.expiresAt - EARLY_MS) return token;
    if (this.#token === requested) this.#token = undefined;
    return this.#token ?? this.#askForToken();
  }

  /** Whoever needs one meanwhile waits for the same. */
  #askForToken(): Promise<Token> {
    const requested = this.#newToken();
    this.#token = requested;
    requested.catch(() => {
      if (this.#token === requested) this.#token = undefined;
    });
    return requested;
  }

  async #newToken(): Promise<Token> {
    const { auth_url, region_name: region, interface: face = 'public' } = this.#options.settings;
    const url = auth_url.replace(/\/+$/, '');
    const { id, secret } = this.#options.credential();
    const credential = { id, secret };
    const identity = { methods: ['application_credential'], application_credential: credential };
    const answer = await this.#sent('POST', `${url}/auth/tokens`, {}, { auth: { identity } });
    const token = await this.#tokenIn(answer);
    const text = answer.headers.get('x-subject-token') ?? '';
    const endsAt = await this.#endOf(`${url}/users/${token.user.id}/application_credentials/${id}`, text);
    // What is known stays, when it cannot be read once.
    if (endsAt !== undefined) this.#credentialEndsAt = endsAt === null ? null : timeOf(endsAt);
    const urls = token.catalog.flatMap(({ type, endpoints }) => {
      const found = endpoints.find((each) => each.interface === face && each.region_id === region);
      return found ? [[type, found.url.replace(/\/+$/, '')] as const] : [];
    });
    this.#urls = new Map(urls);
    return {
      text,
      expiresAt: Date.parse(token.expires_at),
      projectId: token.project.id,
      roles: token.roles.map(({ name }) => name),
      credentialEndsAt: endsAt,
      urls: this.#urls,
      regions: new Set(token.catalog.flatMap(({ endpoints }) => endpoints.map((each) => each.region_id))),
    };
  }

  /** Keystone says 404 of a credential that is deleted. That is no answer to whoever asks for something else. */
  async #tokenIn(answer: Response): Promise<KeystoneToken> {
    try {
      return ((await this.#read(answer)) as { token: KeystoneToken }).token;
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error;
      const isRefused = error.kind === 'credentials' || /application credential/i.test(error.message);
      throw new EngineFault(isRefused ? 'credentials' : 'unavailable', error.status, error.message);
    }
  }

  /** When a credential ends. Tokens do not say it.
   *  @returns null: never; undefined: that could not be read, which is no reason not to serve */
  async #endOf(url: string, token: string): Promise<string | null | undefined> {
    try {
      const answer = await this.#sent('GET', url, { 'x-auth-token': token }, undefined);
      const { application_credential } = (await this.#read(answer)) as KeystoneCredential;
      return application_credential.expires_at;
    } catch {
      return undefined;
    }
  }
}

interface KeystoneCredential {
  readonly application_credential: { readonly expires_at: string | null };
}

/** What Keystone says of a token, as far as it is read here. */
interface KeystoneToken {
  readonly expires_at: string;
  readonly user: { readonly id: string };
  readonly project: { readonly id: string };
  readonly roles: readonly { readonly name: string }[];
  readonly catalog: readonly {
    readonly type: string;
    readonly endpoints: readonly {
      readonly interface: string;
      readonly region_id: string;
      readonly url: string;
    }[];
  }[];
}

/** Milliseconds since 1970 of a time that Keystone says: in UTC, with or without a zone. */
export const timeOf = (text: string): number => Date.parse(/Z$/.test(text) ? text : `${text}Z`);

const urlIn = (urls: ReadonlyMap<string, string>, service: Service): string | undefined =>
  [service, ...(ALIASES[service] ?? [])].map((type) => urls.get(type)).find(Boolean);

function urlOf(urls: ReadonlyMap<string, string>, service: Service): string {
  const url = urlIn(urls, service);
  if (url === undefined)
    throw new EngineFault('refused', 0, `the catalogue of the cloud has no ${service} service here`);
  return /\/v\d+(\.\d+)?(\/[0-9a-f]{32})?$/.test(url) ? url : `${url}${BASES[service]}`;
}

/** Seconds, or a date, which nobody here sends. */
function retryAfterMs(header: string | null): number | undefined {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
