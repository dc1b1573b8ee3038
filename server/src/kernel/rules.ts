import type { Faults } from './faults.ts';
import { parseRange } from './ip.ts';

/** What is said of a field wherever it stands: one wording for each fact. */

export const GIVEN_TWICE = 'is given twice';
/** Of a text that is no network: what it must be; of one with bits behind its prefix, which network it is in. */
export function networkRule(text: unknown): string {
  const range = typeof text === 'string' ? parseRange(text) : undefined;
  return range
    ? `must begin where its network does: ${range.text}`
    : 'must be a network, such as 10.0.0.0/24';
}
export const UUID_RULE = 'must be a UUID, such as 0b9ee2ab-1c5f-4f3c-9f0e-3f0a3a1c7c11';
export const TIME_RULE = 'must be a time such as 2026-01-31T12:00:00Z';
export const DAY_RULE = 'must be a day that exists';
export const DOTTED_WORDS_RULE =
  'must be words of lowercase letters, digits and "-", with "." between them, each beginning and ending with a letter or digit';

/** Adds a fault for a URL with a user name or password in it: it would be shown to all who may read it. */
export function checkCredentials({ url }: { readonly url?: string }, faults: Faults): void {
  if (url === undefined) return;
  const { username, password } = new URL(url);
  if (username || password) faults.add('url', 'must not hold a user name or password');
}
