/** Errors that features throw. What they look like on the wire is decided in one place, platform/http/errors.ts. */
export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Messages for each faulty field, by dotted path (`listeners.0.name`). */
export type InvalidFields = Readonly<Record<string, readonly string[]>>;

export class Invalid extends DomainError {
  readonly fields: InvalidFields;
  /** Where the faulty fields were: the part of the request. */
  readonly location: 'body' | 'query' | 'path' | 'headers';
  constructor(fields: InvalidFields, location: Invalid['location'] = 'body') {
    super(
      Object.entries(fields)
        .map(([field, messages]) => `${field}: ${messages.join('; ')}`)
        .join('. '),
    );
    this.fields = fields;
    this.location = location;
  }
}

/** A request that cannot be read at all (malformed JSON, for example). */
export class BadRequest extends DomainError {}

export class Unauthenticated extends DomainError {}

/** The caller's role does not allow the call. */
export class PermissionDenied extends DomainError {
  constructor(message = 'You do not have permission to perform this action.') {
    super(message);
  }
}

/** The call is understood and permitted, but the region or its capacity refuses it. */
export class Forbidden extends DomainError {}

export class NotFound extends DomainError {}

export interface ConflictOptions {
  /** Milliseconds after which the same call may succeed; absent: it will not succeed by waiting. */
  readonly retryAfterMs?: number;
}

export class Conflict extends DomainError {
  readonly retryAfterMs: number | undefined;
  constructor(message: string, options: ConflictOptions = {}) {
    super(message);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Milliseconds after which to ask again for what a task holds: most tasks are done by then. */
const HELD_FOR_MS = 1000;

/** A task works on what a call wants to change: the call may be made again when the task has ended.
 *  The HTTP layer adds what kind of task it is. */
export class Locked extends Conflict {
  readonly what: string;
  readonly taskId: string;
  /** @param what as the start of a sentence: "Load balancer 42" */
  constructor(what: string, taskId: string, taskType?: string) {
    const type = taskType === undefined ? '' : ` (${taskType})`;
    super(`${what} is held by task ${taskId}${type}`, { retryAfterMs: HELD_FOR_MS });
    this.what = what;
    this.taskId = taskId;
  }
}

export class QuotaExceeded extends DomainError {
  readonly attribute: string;
  readonly currentUsage: number;
  readonly requestedUsage: number;
  readonly limit: number;
  constructor(attribute: string, currentUsage: number, requestedUsage: number, limit: number) {
    super(`Quota limit for ${attribute} exceeded by ${currentUsage + requestedUsage - limit}`);
    this.attribute = attribute;
    this.currentUsage = currentUsage;
    this.requestedUsage = requestedUsage;
    this.limit = limit;
  }
}

export class TooManyRequests extends DomainError {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(`Too many requests. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** A request that is well-formed but contradicts itself or an earlier one (422). */
export class Unprocessable extends DomainError {}

/** Ends a task in ERROR with a reason that its user reads. Anything else thrown by a task is retried. */
export class TaskFailed extends DomainError {}

/** The text of anything thrown, for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
