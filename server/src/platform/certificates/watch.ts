import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { TlsFiles } from '../http/tls.ts';
import { Loop } from '../loop.ts';

/** Who is served with a certificate: clients of the API or of a listener, members of a pool, or those of a cluster
 *  whose own authority this is. */
export const USES = ['api', 'listener', 'pool', 'authority'] as const;
export type CertificateUse = (typeof USES)[number];

export interface CertificateInUse {
  readonly use: CertificateUse;
  /** What it is for, in words: `listener 7ee0…`. */
  readonly of: string;
  readonly expiresAt: Date;
}

/** Reads which certificates in use expire before a moment, the first ones first. */
export type CertificateSource = (db: Db, before: Date) => Promise<readonly CertificateInUse[]>;

export interface CertificateWatchOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sources: readonly CertificateSource[];
  /** Of the API. */
  readonly tls?: TlsFiles | undefined;
}

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** What expires later is of no interest yet. */
const SEEN_DAYS = 90;
const WARNED_DAYS = 14;

/** Looks every minute which certificates in use have expired, or will soon, and logs each once. */
export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  readonly #loop: Loop;
  readonly #logged = new Set<string>();
  #first: ReadonlyMap<CertificateUse, Date> = new Map();

  constructor(options: CertificateWatchOptions) {
    this.#options = options;
    this.#loop = new Loop(EVERY_MS, () => this.#lookAgain());
  }

  /** When the first certificate of each use expires; none: not in the next 90 days. */
  get first(): ReadonlyMap<CertificateUse, Date> {
    return this.#first;
  }

  /** Never throws. */
  async start(): Promise<void> {
    await this.#lookAgain();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** @throws when the database does not answer */
  async look(): Promise<void> {
    const { db, clock, sources } = this.#options;
    const now = clock.now().getTime();
    const before = new Date(now + SEEN_DAYS * DAY_MS);
    const read = await Promise.all(sources.map((source) => source(db, before)));
    const found = [...this.#ofApi(before), ...read.flat()];
    const first = new Map<CertificateUse, Date>();
    for (const { use, expiresAt } of found) {
      const known = first.get(use);
      if (known === undefined || expiresAt < known) first.set(use, expiresAt);
    }
    this.#first = first;
    for (const certificate of found) this.#logOnce(certificate, now);
  }

  #lookAgain(): Promise<void> {
    const { log } = this.#options;
    return this.look().catch((error) => log.debug(`certificates could not be read: ${messageOf(error)}`));
  }

  /** A file that cannot be read is logged by those who serve with it. */
  #ofApi(before: Date): readonly CertificateInUse[] {
    const { tls } = this.#options;
    if (tls === undefined) return [];
    try {
      const { validTo } = new X509Certificate(readFileSync(tls.certificate));
      const expiresAt = new Date(validTo);
      return expiresAt < before ? [{ use: 'api', of: `the API (${tls.certificate})`, expiresAt }] : [];
    } catch {
      return [];
    }
  }

  #logOnce({ use, of, expiresAt }: CertificateInUse, now: number): void {
    const isExpired = expiresAt.getTime() <= now;
    if (!isExpired && expiresAt.getTime() > now + WARNED_DAYS * DAY_MS) return;
    const text = `the certificate of ${of} ${isExpired ? 'has expired' : 'expires soon'}: ${expiresAt.toISOString()}`;
    if (this.#logged.has(text)) return;
    this.#logged.add(text);
    this.#options.log[isExpired ? 'error' : 'warn']({ use, expiresAt }, text);
  }
}
