import type { Operation } from '../../kernel/operation.ts';

/** What is to go wrong with one operation of a simulated region. */
export interface Strike {
  /** Milliseconds that it takes longer. */
  readonly delayMs: number;
  /** Why it fails in the end; undefined: it does not. */
  readonly failure: string | undefined;
}

/** Says of an operation what is to go wrong with it: the same whenever it is asked. */
export type StrikesOf = (regionId: number, operation: Operation) => Promise<Strike>;
