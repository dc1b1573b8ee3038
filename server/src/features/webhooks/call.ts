import { createHmac } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';

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
  readonly secret: string;
  /** The same for every repetition. */
  readonly id: string;
  readonly now: Date;
  readonly body: string;
}

/** Posts one call. @throws Error unless the answer is a 2xx; redirects are not followed */
export async function callWebhook({ url, secret, id, now, body }: WebhookCall): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000);
  const answer = await reach(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'virga-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatureOf(secret, id, seconds, body),
    },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the target answered ${answer.status}`);
}

/** @throws Error that says why the address cannot be reached, which fetch itself hides in a cause */
async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new Error(`the target cannot be reached: ${messageOf(cause)}${code}`, { cause: error });
  }
}
