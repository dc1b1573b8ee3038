import { createHash } from 'node:crypto';

/** What is there of an SFTP storage. */
export interface Observed {
  readonly isRunning: boolean;
  /** Who may come in by the file that its server reads; null: there is none. */
  readonly told: string | null;
  /** The digest of what the server goes by; null: it has not said so. */
  readonly heeded: string | null;
}

export type Step = 'start' | 'tell';

/** What brings an SFTP storage to let in whom it is to let in, and nobody else.
 *  @param access the text of the file that its server reads */
export function nextStep(access: string, { isRunning, told, heeded }: Observed): Step | null {
  if (!isRunning) return 'start';
  return told === access && heeded === digestOf(access) ? null : 'tell';
}

/** Distinguishes one text from another. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
