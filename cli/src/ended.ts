/** A command that has said all by itself, with its exit code. */
export class Ended extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

/** @param code undefined: the process goes on as something else
 *  @throws Ended unless all is well */
export function ended(code: number | undefined): void {
  if (code) throw new Ended(code);
}
