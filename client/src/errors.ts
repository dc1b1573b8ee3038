import { type FaultyFields, fieldsOf, isRecord } from './fields.ts';
import type { components } from './schema.gen.ts';

export type Task = components['schemas']['Task'];

/** What is known of a call that did not succeed. */
export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields?: FaultyFields;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly task?: Task;
  readonly cause?: unknown;
}

/** The one error of this client: a call was refused, nobody answered, or a task has failed. */
export class VirgaError extends Error {
  override readonly name = 'VirgaError';
  /** Of the answer; 0: there was none. */
  readonly status: number;
  /** For programs: what the API says, such as `ValidationError`; without an answer `no_answer`, of a task
   *  `task_failed`. */
  readonly code: string;
  /** What is wrong with which field of the request, by its path: `listeners.0.name`. */
  readonly fields: FaultyFields;
  /** Names the request in the log of the server; undefined: it has not said. */
  readonly requestId: string | undefined;
  /** After how many seconds the same call may succeed; undefined: the server has not said. */
  readonly retryAfterSeconds: number | undefined;
  /** The task that has failed, if it is one. */
  readonly task: Task | undefined;

  constructor(failure: Failure) {
    const { status, code, message, fields = {}, requestId, retryAfterSeconds, task, cause } = failure;
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.task = task;
  }
}

/** Reads a refusal, whichever of the API's bodies it came in. */
export async function errorOf(response: Response): Promise<VirgaError> {
  const body = parsed(await response.text());
  const { status, headers } = response;
  const said = body.message ?? body.detail ?? body.error;
  const code = body.code ?? body.exception_class ?? body.type;
  return new VirgaError({
    status,
    code: typeof code === 'string' ? code : `http_${status}`,
    message: typeof said === 'string' ? said : `The answer was ${status}, without a reason`,
    fields: fieldsOf(body),
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: secondsIn(headers.get('retry-after')),
  });
}

/** @param cause what `fetch` has thrown */
export const noAnswer = (url: string, cause: unknown): VirgaError =>
  new VirgaError({
    status: 0,
    code: 'no_answer',
    message: `${new URL(url).origin} does not answer`,
    cause,
  });

/** Seconds of a `Retry-After` header, which may also be a date. */
export function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
