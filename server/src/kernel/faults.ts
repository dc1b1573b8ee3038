import { Invalid } from './errors.ts';

/** Collects everything that is wrong with a request, so that it is refused once with all of it. */
export class Faults {
  readonly #fields: Record<string, string[]> = {};

  add(field: string, message: string): void {
    this.#fields[field] = [...(this.#fields[field] ?? []), message];
  }

  /** Runs a check that throws Invalid, and collects what it found. */
  try<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      for (const [field, messages] of Object.entries(error.fields)) {
        for (const message of messages) this.add(field, message);
      }
      return undefined;
    }
  }

  /** @throws Invalid when anything was found */
  refuse(location: Invalid['location'] = 'body'): void {
    if (Object.keys(this.#fields).length > 0) throw new Invalid(this.#fields, location);
  }
}
