import { readFileSync } from 'node:fs';
import { type Account, findAccount } from '../../../kernel/accounts.ts';

/** What a program may do beside what its account may. */
export type Capability = 'net_bind_service' | 'net_raw' | 'net_admin' | 'sys_chroot';

const NUMBERS: Readonly<Record<Capability, bigint>> = {
  net_bind_service: 10n,
  net_admin: 12n,
  net_raw: 13n,
  sys_chroot: 18n,
};

/** The account that engines have from their first instruction, when this process is root; undefined: they have ours,
 *  who is nobody special. */
export function engineAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = findAccount(['haproxy', 'nobody']);
  if (!account)
    throw new Error('As root, load balancers need the account "haproxy" or "nobody" on this machine');
  return account;
}

/** Those that this process may hand on: a container may have been started without some. */
export function ownCapabilities(capabilities: readonly Capability[]): readonly Capability[] {
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(readStatus())?.[1];
  if (mask === undefined) return [];
  return capabilities.filter((name) => ((BigInt(`0x${mask}`) >> NUMBERS[name]) & 1n) === 1n);
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}

/** A command line, and how to start it. */
export interface Command {
  readonly program: string;
  readonly words: readonly string[];
  /** Whom it has to be started as; absent: whoever this process is. */
  readonly as?: { readonly uid: number; readonly gid: number };
}

/** The same command as an account that may do nothing special, with these capabilities and never more. Started by an
 *  ordinary user it stays as it is.
 *  @param setpriv the program of that name; without it there are no capabilities */
export function unprivileged(
  command: Command,
  capabilities: readonly Capability[],
  setpriv: string | null,
): Command {
  const account = engineAccount();
  if (!account) return command;
  const { uid, gid } = account;
  if (setpriv === null) return { ...command, as: { uid, gid } };
  const kept = ['-all', ...ownCapabilities(capabilities).map((name) => `+${name}`)].join(',');
  const words = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
  const sets = ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=${kept}`);
  return { program: setpriv, words: [...words, ...sets, '--', command.program, ...command.words] };
}
