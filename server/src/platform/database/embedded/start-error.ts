/** A reason not to start that the person at the terminal can act on: its message is one whole line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The errno code (`EACCES`, …) of whatever was thrown, or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
