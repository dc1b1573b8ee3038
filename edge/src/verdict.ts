import { isVideoToken } from '../../signing/src/signature.ts';
import type { DeliveryUrl } from './delivery-url.ts';

export interface Rules {
  readonly accountId: string;
  /** All that are accepted at the moment. */
  readonly secrets: readonly string[];
}

/** `forbidden` (403): not signed by us for this video, time and viewer. `expired` (410): signed, but too late.
 *  @param ip the viewer's address on the IP-bound host, empty elsewhere
 *  @param now Unix time in whole seconds; a token is valid up to and with its last second */
export function judge(
  url: DeliveryUrl,
  { accountId, secrets }: Rules,
  ip: string,
  now: number,
): 'valid' | 'forbidden' | 'expired' {
  const { video, token, expires } = url;
  // The hash first: who has no right to the video does not learn whether an expiry is over.
  if (url.accountId !== accountId) return 'forbidden';
  if (!isVideoToken(token, { accountId, video, expires, ip }, secrets)) return 'forbidden';
  return Number(expires) < now ? 'expired' : 'valid';
}
