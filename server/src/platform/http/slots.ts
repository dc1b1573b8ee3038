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
  acquire({ tokenId, userId, clientId }: Caller): () => void {
    const { perCaller, inAll } = this.#limits;
    // Those who signed in have no token of their own.
    const caller = tokenId > 0 ? `token ${tokenId}` : `user ${userId} of ${clientId}`;
    const held = this.#held.get(caller) ?? 0;
    if (held >= perCaller) {
      throw new TooManyRequests(AGAIN_MS, `You have ${held} ${this.#what} open, which is the most`);
    }
    if (this.#inAll >= inAll) {
      throw new TooManyRequests(AGAIN_MS, `This server has ${inAll} ${this.#what} open, which is the most`);
    }
    this.#held.set(caller, held + 1);
    this.#inAll += 1;
    let given = false;
    return () => {
      if (!given) this.#release(caller);
      given = true;
    };
  }

  #release(caller: string): void {
    this.#inAll -= 1;
    const left = (this.#held.get(caller) ?? 1) - 1;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}
