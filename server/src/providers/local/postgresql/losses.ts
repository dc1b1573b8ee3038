import { isAlive, isFrozen, type ProcessIdentity } from '../../../kernel/processes.ts';
import type { Server } from './server.ts';

/** Looks in a row at which a process is found stopped, before it counts as lost. */
const FROZEN_LOOKS = 5;

/** Which processes of a cluster have ended, or do nothing any more. */
export class Losses {
  #processes: readonly ProcessIdentity[] = [];
  #frozenLooks = 0;

  /** Whether one of them is lost, by what was last seen. */
  get any(): boolean {
    return this.#areFrozen || this.#processes.some((process) => !isAlive(process));
  }

  /** From here on these servers are watched. */
  watch(servers: readonly Server[]): void {
    this.#processes = servers.flatMap((server) => server.running() ?? []);
  }

  /** Looks once more. */
  look(): void {
    this.#frozenLooks = this.#processes.some(isFrozen) ? this.#frozenLooks + 1 : 0;
  }

  /** Whether a server does nothing any more, and counts as lost. */
  isFrozen(server: Server): boolean {
    const process = this.#areFrozen ? server.running() : null;
    return process !== null && isFrozen(process);
  }

  /** What was frozen has been ended. */
  forgetFrozen(): void {
    this.#frozenLooks = 0;
  }

  get #areFrozen(): boolean {
    return this.#frozenLooks >= FROZEN_LOOKS;
  }
}
