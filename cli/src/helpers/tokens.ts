import { type Command, Option } from 'commander';
import { UsageError } from '../failures.ts';
import { addOperation } from '../operation-command.ts';
import { operation } from '../operations.ts';
import type { Terminal } from '../terminal.ts';

const DAY_MS = 86_400_000;
const ROLES = ['Administrators', 'Engineers', 'Users'];

/** `token create deployments --role Engineers --days 90`. */
export function addTokenHelpers(noun: Command, terminal: Terminal): void {
  addOperation(noun, operation('createClientToken'), terminal, {
    options: [
      new Option('--role <role>', 'what it may do').choices(ROLES).default('Engineers'),
      new Option('--days <number>', 'how long it is valid; default: without an end'),
    ],
    body: ({ role, days }) => ({
      exp_date: days === undefined ? null : endOf(String(days)),
      client_user: { role: { name: role } },
    }),
  });
}

/** @throws UsageError for what is no number of days */
function endOf(days: string): string {
  const count = Number(days);
  if (!(count > 0)) throw new UsageError(`--days must be a number above 0, not "${days}"`);
  return new Date(Date.now() + count * DAY_MS).toISOString().replace(/\.\d+Z$/, 'Z');
}
