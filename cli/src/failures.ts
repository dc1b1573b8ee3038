import { CommanderError } from 'commander';
import { VirgaError } from '../../client/src/index.ts';
import { flagOf } from './table/shapes.ts';

/** What the command ends with. docs/command.md explains each. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrong: 2,
  denied: 3,
  missing: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

/** The command was called in a form that cannot be carried out. */
export class UsageError extends Error {}

/** Ctrl-C. */
export class Interrupted extends Error {}

/** There is no cloud that the command could talk to. */
export class NoCloud extends Error {}

/** @param error anything thrown */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.wrong;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrong;
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof NoCloud) return EXIT.unreachable;
  if (!(error instanceof VirgaError)) return EXIT.failed;
  if (error.code === 'no_answer') return EXIT.unreachable;
  if (error.status === 401 || error.status === 403) return EXIT.denied;
  if (error.status === 404) return EXIT.missing;
  return error.status === 400 || error.status === 422 ? EXIT.wrong : EXIT.failed;
}

/** What is said of it on standard error: what is wrong, at which flag, and how to go on.
 *  @param flags of the operation, by the API's names */
export function linesOf(error: unknown, flags: ReadonlySet<string> = new Set()): readonly string[] {
  // Commander has said it.
  if (error instanceof CommanderError) return [];
  if (!(error instanceof VirgaError)) return [error instanceof Error ? error.message : String(error)];
  const { message, fields, requestId, status, code } = error;
  const faults = Object.entries(fields).map(
    ([field, reasons]) => `${fieldName(field, flags)}: ${reasons.join(', ')}`,
  );
  return [
    ...(faults.length > 0 ? faults : [message]),
    ...(code === 'no_answer'
      ? ['Start a cloud with: virga up. See what is known of it with: virga status']
      : []),
    ...(status === 401
      ? ['The token is not accepted: it may have expired. Sign in again with: virga login URL']
      : []),
    ...(requestId === undefined ? [] : [`The request was ${requestId}`]),
  ];
}

/** `--listeners, 0.name` for a field below that of a flag. */
function fieldName(field: string, flags: ReadonlySet<string>): string {
  const [first = '', ...rest] = field.split('.');
  if (!flags.has(first)) return field;
  return [`--${flagOf(first)}`, ...(rest.length > 0 ? [rest.join('.')] : [])].join(', ');
}
