import type pg from 'pg';

/** Shortens the pool's connect timeout once a connection was lost. A proxy that has no server to lead them to
 *  accepts them all the same, and keeps them waiting for seconds: they would fill the pool, and requests would wait for
 *  them even if others are answered again. */

/** So that who waits for a connection learns in less than a second that there is none. Look-ups that share statements
 *  wait twice: for the one that is under way, and for their own. */
const SHORT_MS = 400;
/** For how long after a loss, unless the database answers before: longer than proxies take to notice that a server is
 *  gone. */
const LASTS_MS = 10_000;
/** What the pool says when its own patience has ended. That is no sign of a loss: a database that takes long to accept
 *  connections would never be given the time again. */
const OWN_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
];

export class ConnectTimeout {
  readonly #pool: pg.Pool;
  readonly #usualMs: number | undefined;
  readonly #shortConnectMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param shortConnectMs milliseconds for which a connection is waited for after a loss */
  constructor(pool: pg.Pool, shortConnectMs = SHORT_MS) {
    this.#pool = pool;
    this.#usualMs = pool.options.connectionTimeoutMillis;
    this.#shortConnectMs = shortConnectMs;
  }

  /** A connection was lost or refused. */
  lost(error: Error): void {
    if (OWN_MESSAGES.includes(error.message)) return;
    clearTimeout(this.#timer);
    // The pool reads it whenever somebody wants a connection.
    this.#pool.options.connectionTimeoutMillis = this.#shortConnectMs;
    this.#timer = setTimeout(() => this.end(), LASTS_MS).unref();
  }

  /** The database answers, or nobody wants a connection any more: who waits in a long queue has time again. */
  end(): void {
    clearTimeout(this.#timer);
    this.#pool.options.connectionTimeoutMillis = this.#usualMs;
  }
}
