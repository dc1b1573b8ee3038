import { setSessionCookie } from '../../platform/auth/cookies.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { RawReply } from '../../platform/http/route.ts';

/** An answer that gives the browser the cookie of a session. */
export function withCookie(ctx: RequestContext, cookie: string, answer: object): RawReply {
  return new RawReply('application/json; charset=utf-8', JSON.stringify(answer), {
    'set-cookie': setSessionCookie(cookie, ctx),
  });
}
