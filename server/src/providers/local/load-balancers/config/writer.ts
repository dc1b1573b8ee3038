/** Collects configuration lines together with what each is for, so that a complaint of HAProxy about
 *  line 37 can be reported as a complaint about an L7 rule. */
export class ConfigWriter {
  readonly #lines: string[] = [];
  readonly #origins: (string | undefined)[] = [];
  readonly #isServer: boolean[] = [];

  section(heading: string): void {
    this.#push(heading, undefined, false);
  }

  /** @param origin the user's object behind this line, in words that the user knows */
  line(words: string, origin?: string): void {
    this.#push(`  ${words}`, origin, false);
  }

  /** A line that can also be changed through the runtime socket; it is no part of the skeleton. */
  serverLine(words: string, origin?: string): void {
    this.#push(`  ${words}`, origin, true);
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  /** The configuration without what can change in a running process. */
  skeleton(): string {
    return this.#lines.filter((_, index) => !this.#isServer[index]).join('\n');
  }

  /** What line `number` (from 1) is for. */
  origins(): readonly (string | undefined)[] {
    return this.#origins;
  }

  #push(line: string, origin: string | undefined, isServer: boolean): void {
    this.#lines.push(line);
    this.#origins.push(origin);
    this.#isServer.push(isServer);
  }
}
