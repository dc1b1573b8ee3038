import { Invalid } from './errors.ts';
import { MAX_NAMED } from './named-faults.ts';

/** Collects everything that is wrong with a request, so that it is refused once with all of it: the first
 *  faults are named, the rest is counted. */
export class Faults {
  /** Made for the first fault: most requests have none. */
  #fields: Record<string, string[]> | undefined;
  #named = 0;
  #unnamed = 0;

  /** @param message or what makes it, where that is work: it is made for faults that are named alone */
  add(field: string, message: string | (() => string)): void {
    if (this.#named >= MAX_NAMED) {
      this.#unnamed += 1;
      return;
    }
    this.#named += 1;
    this.#fields ??= Object.create(null) as Record<string, string[]>;
    const messages = this.#fields[field] ?? [];
    messages.push(typeof message === 'string' ? message : message());
    this.#fields[field] = messages;
  }

  /** Runs a check that throws Invalid, and collects what it found. */
  try<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      this.addAll(error);
      return undefined;
    }
  }

  /** Adds what another check has found, but for what is said of a field already. */
  addAll({ fields, unnamed }: Pick<Invalid, 'fields' | 'unnamed'>): void {
    for (const [field, messages] of Object.entries(fields)) {
      const isSaid = (message: string) => this.#fields?.[field]?.some((said) => said.startsWith(message));
      for (const message of messages) if (!isSaid(message)) this.add(field, message);
    }
    this.#unnamed += unnamed;
  }

  get any(): boolean {
    return this.#named > 0;
  }

  /** Whether what is added is only counted. */
  get isFull(): boolean {
    return this.#named >= MAX_NAMED;
  }

  toError(location: Invalid['location'] = 'body'): Invalid {
    return new Invalid(this.#fields ?? {}, location, this.#unnamed);
  }

  /** @throws Invalid when anything was found */
  refuse(location: Invalid['location'] = 'body'): void {
    if (this.any) throw this.toError(location);
  }

  /** Refuses like `refuse`; after it there is the value, for whose absence a fault was added.
   *  @throws Invalid when anything was found */
  require<T>(value: T | undefined | null, location: Invalid['location'] = 'body'): T {
    this.refuse(location);
    if (value === undefined || value === null) throw new Error('what is missing was not named as a fault');
    return value;
  }
}
