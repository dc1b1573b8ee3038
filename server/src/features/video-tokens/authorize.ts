import { PermissionDenied } from '../../kernel/errors.ts';
import { firstOf } from '../../kernel/headers.ts';
import type { Logger } from '../../kernel/log.ts';
import { HttpError } from '../../platform/http/errors.ts';

const PATIENCE_MS = 5_000;
/** What shows the asked service who the user is. */
const FORWARDED = ['authorization', 'cookie'] as const;

export interface Question {
  readonly video: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Asks the configured service whether the user may see the video: a GET with `video` and `type` in its query
 *  and the user's own Authorization and Cookie headers. 2xx is yes, other answers below 500 are no.
 *  @throws PermissionDenied for a no; HttpError 503 when there is no answer: nothing is signed on a guess */
export async function authorize(url: string, { video, type, headers }: Question, log: Logger): Promise<void> {
  const address = new URL(url);
  address.searchParams.set('video', video);
  address.searchParams.set('type', type);
  const forwarded = FORWARDED.flatMap((name) => {
    const value = firstOf(headers[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const status = await fetch(address, { headers: Object.fromEntries(forwarded), redirect: 'manual', signal })
    .then(async (answer) => {
      await answer.body?.cancel();
      return answer.status;
    })
    .catch((error: unknown) => {
      log.warn({ err: error }, 'VIRGA_VIDEO_AUTHORIZE_URL does not answer');
      return 503;
    });
  if (status >= 200 && status < 300) return;
  if (status >= 500)
    throw new HttpError(503, 'Whether you may see this video cannot be checked at the moment');
  throw new PermissionDenied('You may not see this video');
}
