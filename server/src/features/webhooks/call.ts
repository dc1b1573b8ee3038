import { createHmac } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import { type AllowedNetworks, type Posting, post } from './reach.ts';

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
  readonly by: { readonly secret: string } | { readonly header: string; readonly value: string };
  /** Absent: the operator chose the address, and it may be anywhere. */
  readonly allowed?: AllowedNetworks;
}

/** Posts one call. @throws Error unless the answer is a 2xx; redirects are not followed */
export async function callWebhook({ url, id, now, body, by, allowed }: WebhookCall): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000);
  const proof: Record<string, string> =
    'secret' in by
      ? { 'webhook-signature': signatureOf(by.secret, id, seconds, body) }
      : { [by.header]: by.value };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'virga-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...proof,
  };
  const status = await reach({ url, headers, body, patienceMs: PATIENCE_MS, allowed });
  if (status < 200 || status > 299) throw new Error(`the target answered ${status}`);
}

/** @throws Error that says why the address cannot be reached */
async function reach(posting: Posting): Promise<number> {
  try {
    return await post(posting);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`the target cannot be reached: ${messageOf(error)}${code}`, { cause: error });
  }
}
