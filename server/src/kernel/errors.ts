import { firstFaults, type InvalidFields, inWords } from './named-faults.ts';

export type { InvalidFields } from './named-faults.ts';

/** Errors that features throw. What they look like on the wire is decided in one place, platform/http/errors.ts. */
export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

export class Invalid extends DomainError {
  /** The first MAX_NAMED faults at most, their names and messages cut to a readable length. */
  readonly fields: InvalidFields;
  /** How many more faults there are. */
  readonly unnamed: number;
  /** Where the faulty fields were: the part of the request. */
  readonly location: 'body' | 'query' | 'path' | 'headers';
  /** The same by part of the request, when several parts are faulty; else this alone. */
  readonly parts: readonly Invalid[];
  constructor(
    fields: InvalidFields,
    location: Invalid['location'] = 'body',
    unnamed = 0,
    parts?: readonly Invalid[],
  ) {
    const named = firstFaults(fields);
    super(inWords(named.fields, named.left + unnamed));
    this.fields = named.fields;
    this.unnamed = named.left + unnamed;
    this.location = location;
    this.parts = parts ?? [this];
  }
}

/** A request that cannot be read at all (malformed JSON, for example). */
export class BadRequest extends DomainError {}

export class Unauthenticated extends DomainError {}

/** The caller's role does not allow the call. */
export class PermissionDenied extends DomainError {
  /** Tells programs what to do about it; undefined: another caller is needed. */
  get code(): string | undefined {
    return undefined;
  }
}

/** The person must prove again who they are. */
export class SignInNotRecent extends PermissionDenied {
  override get code(): string {
    return 'recent_sign_in_required';
  }
}

export const suspendedFor = (reason: string) => `This account is suspended: ${reason}`;

/** An operator has suspended the caller's account. */
export class AccountSuspended extends PermissionDenied {
  constructor(reason: string) {
    super(suspendedFor(reason));
  }
  override get code(): string {
    return 'account_suspended';
  }
}

/** The person must add a second factor before anything else. */
export class SecondFactorMissing extends PermissionDenied {
  override get code(): string {
    return 'second_factor_required';
  }
}

/** The call is understood and permitted, but the region or its capacity refuses it. */
export class Forbidden extends DomainError {}

/** The region lacks what the call is about. The HTTP layer adds which regions have it. */
export class NotOffered extends Forbidden {}

export class NotFound extends DomainError {}

/** There was one, and it cannot come back. */
export class Gone extends DomainError {}

/** The HTTP layer adds which regions there are. */
export class UnknownRegion extends NotFound {
  constructor(id: number | string | undefined) {
    super(`Region ${id} was not found`);
  }
}

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
    const over = currentUsage + requestedUsage - limit;
    super(
      `Quota limit for ${attribute} exceeded by ${over}: ${currentUsage} of ${limit} used, ${requestedUsage} more requested; ask for a higher limit with POST /cloud/v2/limits_request`,
    );
    this.attribute = attribute;
    this.currentUsage = currentUsage;
    this.requestedUsage = requestedUsage;
    this.limit = limit;
  }
}

export class TooManyRequests extends DomainError {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number, why = 'Too many requests') {
    super(`${why}; try again in ${Math.ceil(retryAfterMs / 1000)} s`);
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
