/** What went wrong, for whoever has to decide what to do about it. */
export type FaultKind =
  /** It changes at this moment, or somebody has what is asked for. */
  | 'conflict'
  | 'missing'
  /** The cloud has no room for it. */
  | 'quota'
  /** The request as it is will never be accepted. */
  | 'refused'
  | 'forbidden'
  | 'credentials'
  /** No answer, or one that says nothing of the request. */
  | 'unavailable';

/** A call that a service of OpenStack did not do. */
export class EngineFault extends Error {
  readonly kind: FaultKind;
  /** 0: there was no answer. */
  readonly status: number;
  /** Milliseconds after which to ask again, where the service said so. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FaultKind, status: number, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'EngineFault';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What an answer that is no success says, whichever of the forms of errors the service has: `{faultstring}` (Octavia),
 *  `{NeutronError: {message}}`, `{badRequest: {message}}` (Nova, Cinder), `{error: {message}}` (Keystone), `{description}` (Barbican).
 *  @param text the body of the answer */
export function faultOf(status: number, text: string, retryAfterMs?: number): EngineFault {
  const message = sentenceOf(text) || `the answer was ${status}`;
  return new EngineFault(kindOf(status, message), status, message, retryAfterMs);
}

const QUOTA = /quota/i;
/** Octavia could not read from the key manager what is there: that may be otherwise soon. */
const NO_CERTIFICATE = /could not retrieve certificate/i;

function kindOf(status: number, message: string): FaultKind {
  if (status === 401) return 'credentials';
  if (status === 404 || NO_CERTIFICATE.test(message)) return 'missing';
  if (status === 413 || ((status === 403 || status === 409) && QUOTA.test(message))) return 'quota';
  if (status === 403) return 'forbidden';
  if (status === 409) return 'conflict';
  if (status === 501) return 'refused';
  if (status >= 500 || status === 429) return 'unavailable';
  return 'refused';
}

function sentenceOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text.startsWith('<') ? '' : text.trim().slice(0, 300);
  }
  return (sentenceIn(body) ?? '').replace(/<br ?\/?>/g, ' ').trim();
}

function sentenceIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  for (const key of ['faultstring', 'message', 'description']) {
    const value = Reflect.get(body, key);
    if (typeof value === 'string') return value;
  }
  for (const value of Object.values(body)) {
    if (typeof value === 'string') return value;
    const inner = sentenceIn(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** @returns undefined where the service says that there is no such thing */
export async function absent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineFault && error.kind === 'missing') return undefined;
    throw error;
  }
}
