/** Credentials of requests that last are looked at this often, so that a revoked one ends them within a second. */
const LOOK_EVERY_MS = 300;

interface Watched {
  readonly isGood: () => Promise<boolean>;
  readonly requests: Set<AbortController>;
}

/** Ends requests that last, streams and long polls, when the credential that they came with has ended. Requests with
 *  the same credential share the look at it. */
export class CredentialWatch {
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  /** @param credential what the request came with, as a key
   *  @param isGood whether that would be let in now
   *  @returns a signal that aborts when it would not; `stop` when the request is answered */
  watch(
    credential: string,
    isGood: () => Promise<boolean>,
  ): { readonly signal: AbortSignal; readonly stop: () => void } {
    const watched = this.#watched.get(credential) ?? { isGood, requests: new Set() };
    this.#watched.set(credential, watched);
    const request = new AbortController();
    watched.requests.add(request);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
    return { signal: request.signal, stop: () => this.#remove(credential, watched, request) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
  }

  #remove(credential: string, watched: Watched, request: AbortController): void {
    watched.requests.delete(request);
    if (watched.requests.size === 0 && this.#watched.get(credential) === watched) {
      this.#watched.delete(credential);
    }
    if (this.#watched.size === 0) this.close();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    await Promise.all([...this.#watched].map(([credential, watched]) => this.#check(credential, watched)));
    this.#looking = false;
  }

  async #check(credential: string, watched: Watched): Promise<void> {
    // While the database does not answer nothing is known, and nothing of it is reported either.
    if (await watched.isGood().catch(() => true)) return;
    if (this.#watched.get(credential) === watched) this.#watched.delete(credential);
    for (const request of watched.requests) request.abort();
  }
}
