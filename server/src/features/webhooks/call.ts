import { createHmac } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import { type AllowedNetworks, type Answer, type Posting, post } from './reach.ts';

/** Signed calls in the form of the Standard Webhooks specification (standardwebhooks.com). */

const PREFIX = 'whsec_';
const PATIENCE_MS = 10_000;

/** A signing secret as its owner keeps it. */
export const secretText = (secret: Buffer): string => `${PREFIX}${secret.toString('base64')}`;

/** `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`.
 *  @param seconds since 1970 */
export function signatureOf(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

export interface WebhookCall {
  readonly url: string;
  /** The same for every repetition. */
  readonly id: string;
  readonly now: Date;
  readonly body: string;
  /** How the receiver knows who calls: a signature, or a header that it gave. */
  readonly by: { readonly secrets: readonly string[] } | { readonly header: string; readonly value: string };
  /** Absent: the operator chose the address, and it may be anywhere. */
  readonly allowed?: AllowedNetworks;
}

/** A target answered with something else than a 2xx. */
export class TargetRefused extends Error {
  readonly status: number;
  /** The target takes nothing before then. */
  readonly notBefore: Date | undefined;

  constructor({ status, retryAfter, location }: Answer, now: Date) {
    super(`the target answered ${status}${status >= 300 && status < 400 ? redirected(location) : ''}`);
    this.status = status;
    this.notBefore = status === 429 || status === 503 ? momentOf(retryAfter, now) : undefined;
  }
}

/** Without what follows the path, which may be a secret. */
const redirected = (location: string | undefined): string =>
  `, a redirect${location ? ` to ${location.split(/[?#]/)[0]}` : ''}, which is not followed: give the target that address`;

const LONGEST_WAIT_MS = 86_400_000;

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3); at most a day is waited. */
function momentOf(retryAfter: string | undefined, now: Date): Date | undefined {
  if (retryAfter === undefined) return undefined;
  const waitMs = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - now.getTime();
  if (Number.isNaN(waitMs) || waitMs <= 0) return undefined;
  return new Date(now.getTime() + Math.min(waitMs, LONGEST_WAIT_MS));
}

/** Posts one call. @throws TargetRefused unless the answer is a 2xx; redirects are not followed */
export async function callWebhook({ url, id, now, body, by, allowed }: WebhookCall): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000);
  const proof: Record<string, string> =
    'secrets' in by
      ? { 'webhook-signature': by.secrets.map((each) => signatureOf(each, id, seconds, body)).join(' ') }
      : { [by.header]: by.value };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'virga-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...proof,
  };
  const answer = await reach({ url, headers, body, patienceMs: PATIENCE_MS, allowed });
  if (answer.status < 200 || answer.status > 299) throw new TargetRefused(answer, now);
}

/** @throws Error that says why the address cannot be reached */
async function reach(posting: Posting): Promise<Answer> {
  try {
    return await post(posting);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`the target cannot be reached: ${messageOf(error)}${code}`, { cause: error });
  }
}
