/** What errors are made of that come from a database that cannot be reached, whoever words them. */
const CODES = new Set(
  ['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOENT', 'ETIMEDOUT'].concat(
    ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
    // Its name is not known, or nobody can be asked for it.
    ['ENOTFOUND', 'EAI_AGAIN'],
    // Shutting down, crashed, starting; no connection left.
    ['57P01', '57P02', '57P03', '53300'],
    // A replica that was not promoted yet, which a proxy leads to while the primary is away.
    ['25006'],
  ),
);
/** SQLSTATE class of connection exceptions. */
const CONNECTION_EXCEPTION = /^08...$/;
const MESSAGE =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)|during recovery$/;

/** The database neither answers nor refuses. */
export class DatabaseSilent extends Error {
  constructor() {
    super('no answer from the database');
  }
}

/** What Node says of a client that goes away in the middle of its request. */
const CLIENT_GONE = 'aborted';

/** Whether an error says that there is no database to ask, rather than what it answered. */
export function isDatabaseLost(error: unknown): boolean {
  if (!(error instanceof Error) || error.message === CLIENT_GONE) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    error instanceof DatabaseSilent ||
    CODES.has(code) ||
    CONNECTION_EXCEPTION.test(code) ||
    MESSAGE.test(error.message)
  );
}

/** SQLSTATE of a disk that is full. */
const DISK_FULL = '53100';

/** Whether PostgreSQL refused a change since its disk is full; nothing of its transaction is kept. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DISK_FULL;

/** What others say of a full disk. */
const NO_ROOM = /no space left on device/i;

/** What others say of a loss, in their words. */
const WORDS =
  /ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|connection terminated|terminating connection|database system is|timeout|no answer|not queryable/i;

/** Keeps a lost database one line in the log: from its loss until it answers again, what others say of it is of
 *  interest only to who looks closely. */
export class Outage {
  #since: number | undefined;
  /** The database answers, and its disk is full, which was said. */
  isDiskFull = false;

  get active(): boolean {
    return this.#since !== undefined;
  }

  /** @returns true for the first sign of a loss, which is to be said */
  begin(): boolean {
    const first = !this.active;
    this.#since ??= performance.now();
    return first;
  }

  /** @returns how long it has lasted, in seconds; undefined when there was none */
  end(): number | undefined {
    const since = this.#since;
    this.#since = undefined;
    return since === undefined ? undefined : Math.round(performance.now() - since) / 1000;
  }

  /** Whether what somebody wants to log is a consequence of the loss. */
  explains(logged: readonly unknown[]): boolean {
    return (
      (this.active && logged.some((each) => isConsequence(each))) ||
      (this.isDiskFull && logged.some((each) => saysNoRoom(each)))
    );
  }
}

function isConsequence(logged: unknown): boolean {
  if (typeof logged === 'string') return WORDS.test(logged);
  if (typeof logged !== 'object' || logged === null || !('err' in logged)) return false;
  const { err } = logged;
  return isDatabaseLost(err) || (err instanceof Error && !('code' in err) && WORDS.test(err.message));
}

function saysNoRoom(logged: unknown): boolean {
  if (typeof logged === 'string') return NO_ROOM.test(logged);
  return typeof logged === 'object' && logged !== null && 'err' in logged && isDiskFull(logged.err);
}
