import type { Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';

/** What an operator wants to know of a cloud before anybody uses it. */
export interface Finding {
  readonly what: string;
  /** `fails`: nothing can be served; `lacks`: something cannot. */
  readonly verdict: 'works' | 'lacks' | 'fails';
  readonly says: string;
}

export const works = (what: string, says: string): Finding => ({ what, verdict: 'works', says });
export const lacks = (what: string, says: string): Finding => ({ what, verdict: 'lacks', says });
export const fails = (what: string, says: string): Finding => ({ what, verdict: 'fails', says });

export type Check = (session: Session, settings: OpenStackSettings) => Promise<readonly Finding[]>;

export const sayLimit = (limit: number | undefined) =>
  limit === undefined || limit < 0 ? 'without limit' : limit;
