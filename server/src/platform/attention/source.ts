import type { TokenRole } from '../auth/roles.ts';
import type { Db } from '../database/db.ts';

/** Who asks what needs attention, and of what. */
export interface AttentionFor {
  readonly clientId: number;
  readonly projectId: number;
  /** In the project. */
  readonly role: TokenRole;
  readonly now: Date;
}

/** Something that a person should look at. */
export interface Attention {
  /** What it is, as searches name it: `load_balancer`. */
  readonly kind: string;
  readonly id: string;
  /** Of what has no name of its own, the name of what it belongs to. */
  readonly name: string;
  /** Of a task, what it is about; absent: nothing, or it has no name. */
  readonly subject?: string | undefined;
  /** null: it is in no region. */
  readonly regionId: number | null;
  /** `failed`: it does not do its work. `degraded`: it does not do all of it, or soon will not. */
  readonly severity: 'failed' | 'degraded';
  /** What is wrong, in a sentence without its end. */
  readonly reason: string;
  /** Since when, where that is known. */
  readonly since: Date | null;
}

/** Reads what of a feature needs attention, at most `MOST_OF_ONE`. */
export type AttentionSource = (db: Db, ask: AttentionFor) => Promise<readonly Attention[]>;

export const MOST_OF_ONE = 50;

/** What will end soon is said from then on. */
export const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** The moment before which an end is soon. */
export const soon = (now: Date): Date => new Date(now.getTime() + SOON_DAYS * DAY_MS);

/** What is said of something that ends. */
export function endOf(at: Date, now: Date): Pick<Attention, 'severity' | 'reason'> {
  const days = Math.floor((at.getTime() - now.getTime()) / DAY_MS);
  if (at <= now) return { severity: 'failed', reason: 'Has expired' };
  const left = days === 0 ? 'today' : days === 1 ? 'in 1 day' : `in ${days} days`;
  return { severity: 'degraded', reason: `Expires ${left}` };
}
