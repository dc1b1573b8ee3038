import { readFileSync } from 'node:fs';
import { type Account, findAccount } from '../../../kernel/accounts.ts';
import { accountOf } from '../../../kernel/engine-accounts.ts';
import { findProgram } from '../../../kernel/find-program.ts';
import { isolated } from '../../../kernel/isolation.ts';

/** What a program may do beside what its account may. */
export type Capability = 'net_bind_service' | 'net_raw' | 'net_admin' | 'sys_chroot';

const NUMBERS: Readonly<Record<Capability, bigint>> = {
  net_bind_service: 10n,
  net_admin: 12n,
  net_raw: 13n,
  sys_chroot: 18n,
};

/** The account of programs that serve no tenant, from their first instruction, when this process is root; undefined:
 *  they have ours, who is nobody special. */
export function engineAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = findAccount(['haproxy', 'nobody']);
  if (!account)
    throw new Error('As root, load balancers need the account "haproxy" or "nobody" on this machine');
  return account;
}

/** The account of a home, or the common one. */
export const accountFor = (home: string | undefined): Account | undefined =>
  home === undefined ? engineAccount() : accountOf(home);

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

/** What a program may do. */
export interface Rights {
  /** Whose account it gets: that of the engines of this home. Absent: the common one, for what serves no tenant. */
  readonly home?: string | undefined;
  /** What it needs beside. */
  readonly capabilities?: readonly Capability[];
  /** Paths that it needs beside its home. Those in a temporary folder keep it from having one of its own. */
  readonly paths?: readonly string[];
}

/** The same command for a program that root starts, and that becomes an account of a home by itself: it cannot get other
 *  rights than it has left, and is isolated as others are. */
export function confined(command: Command, home: string): Command {
  const setpriv = findProgram('setpriv');
  if (process.getuid?.() !== 0) return withoutInherited(command, []);
  if (setpriv === null) return command;
  const limited = { program: setpriv, words: ['--no-new-privs', '--', command.program, ...command.words] };
  return isolated(limited, [home]);
}

/** The same command without what an ordinary user was given to hand on to all of its programs (ambient capabilities),
 *  but for these. */
function withoutInherited(command: Command, capabilities: readonly Capability[]): Command {
  const setpriv = findProgram('setpriv');
  if (/^CapAmb:\s*0*$/m.test(readStatus()) || setpriv === null) return command;
  const kept = ['-all', ...ownCapabilities(capabilities).map((name) => `+${name}`)].join(',');
  const sets = ['inh-caps', 'ambient-caps'].map((set) => `--${set}=${kept}`);
  return { program: setpriv, words: [...sets, '--no-new-privs', '--', command.program, ...command.words] };
}

/** The same command as an account that may do nothing special, with these capabilities and never more, which cannot get
 *  other rights. Where the machine allows, one of a tenant also has temporary folders of its own, and sees no processes of
 *  other accounts. Without `setpriv` there are no capabilities. Started by an ordinary user it stays as it is, but for
 *  capabilities that this process was given to hand on. */
export function unprivileged(command: Command, rights: Rights): Command {
  const { home, capabilities = [], paths = [] } = rights;
  const account = accountFor(home);
  if (!account) return withoutInherited(command, capabilities);
  const { uid, gid } = account;
  const setpriv = findProgram('setpriv');
  if (setpriv === null) return { ...command, as: { uid, gid } };
  const kept = ['-all', ...ownCapabilities(capabilities).map((name) => `+${name}`)].join(',');
  const words = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
  const sets = ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=${kept}`);
  const limited = {
    program: setpriv,
    words: [...words, ...sets, '--', command.program, ...command.words],
  };
  return home === undefined ? limited : isolated(limited, [home, command.program, ...paths]);
}
