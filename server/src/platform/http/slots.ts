import { TooManyRequests } from '../../kernel/errors.ts';
import type { Caller } from '../auth/caller.ts';

export interface SlotLimits {
  readonly perCaller: number;
  readonly inAll: number;
}

/** Milliseconds after which to ask for a slot again. */
const AGAIN_MS = 5000;

/** So many long-lived answers a token, or a user who signed in, may hold at one time, and all tokens together. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #what: string;
  readonly #held = new Map<string, number>();
  #inAll = 0;

  /** @param what in the plural, for the message */
  constructor(what: string, limits: SlotLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** @returns how to give the slot back; more than once does no harm
   *  @throws TooManyRequests */
  acquire(caller: Caller): () => void {
    const { perCaller, inAll } = this.#limits;
    const release = this.acquireIfFree(caller);
    if (release) return release;
    throw new TooManyRequests(
      AGAIN_MS,
      this.#heldBy(nameOf(caller)) >= perCaller
        ? `You have ${perCaller} ${this.#what} open, which is the most`
        : `This server has ${inAll} ${this.#what} open, which is the most`,
    );
  }

  /** As acquire. @returns undefined when none is free */
  acquireIfFree(of: Caller): (() => void) | undefined {
    const { perCaller, inAll } = this.#limits;
    const caller = nameOf(of);
    const held = this.#heldBy(caller);
    if (held >= perCaller || this.#inAll >= inAll) return undefined;
    this.#held.set(caller, held + 1);
    this.#inAll += 1;
    let given = false;
    return () => {
      if (!given) this.#release(caller);
      given = true;
    };
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  #release(caller: string): void {
    this.#inAll -= 1;
    const left = this.#heldBy(caller) - 1;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}

/** Those who signed in have no token of their own. */
const nameOf = ({ tokenId, userId, clientId }: Caller): string =>
  tokenId > 0 ? `token ${tokenId}` : `user ${userId} of ${clientId}`;
