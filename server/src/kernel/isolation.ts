import { spawnSync } from 'node:child_process';
import { release, tmpdir } from 'node:os';
import { sep } from 'node:path';
import { findProgram } from './find-program.ts';

/** Mount namespaces for programs of tenants, as far as the machine allows: see mount_namespaces(7). The program `unshare`
 *  makes one and then becomes the program that is started: its pid, open files and signals stay the same. */

export interface Isolation {
  /** A program has temporary folders of its own. */
  readonly temporaryFolders: boolean;
  /** It sees no processes of other accounts. */
  readonly hiddenProcesses: boolean;
}

interface Started {
  readonly program: string;
  readonly words: readonly string[];
}

const TEMPORARY =
  'for each in /tmp /var/tmp; do mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m tmp "$each"; done';
const PROCESSES = 'mount -t proc -o hidepid=invisible,nosuid,nodev,noexec proc /proc';
/** The first kernel whose mounts of /proc have options of their own: before, these would be the whole machine's. */
const OWN_OPTIONS = [5, 8] as const;

const scriptOf = (steps: readonly string[]) => `set -e; ${[...steps, 'exec "$@"'].join('; ')}`;

/** @param paths what the program needs: temporary folders stay the machine's where one of these is in them */
export function isolated(command: Started, paths: readonly string[]): Started {
  const unshare = findProgram('unshare');
  const { temporaryFolders, hiddenProcesses } = isolationOfHost();
  const isElsewhere = [...paths, ...command.words].every((each) => !isTemporary(each));
  const steps = [
    ...(temporaryFolders && isElsewhere ? [TEMPORARY] : []),
    ...(hiddenProcesses ? [PROCESSES] : []),
  ];
  if (unshare === null || steps.length === 0) return command;
  return { program: unshare, words: wordsOf(steps, command) };
}

function wordsOf(steps: readonly string[], { program, words }: Started): readonly string[] {
  return [
    '--mount',
    '--propagation',
    'slave',
    '--',
    '/bin/sh',
    '-c',
    scriptOf(steps),
    'sh',
    program,
    ...words,
  ];
}

let known: Isolation | undefined;

/** What this process can give to programs of tenants: tried once. */
export function isolationOfHost(): Isolation {
  known ??= {
    temporaryFolders: works([TEMPORARY]),
    hiddenProcesses: hasOwnOptions() && works([PROCESSES]),
  };
  return known;
}

function works(steps: readonly string[]): boolean {
  const unshare = process.getuid?.() === 0 ? findProgram('unshare') : null;
  if (unshare === null) return false;
  return spawnSync(unshare, wordsOf(steps, { program: 'true', words: [] }), { stdio: 'ignore' }).status === 0;
}

function hasOwnOptions(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > OWN_OPTIONS[0] || (major === OWN_OPTIONS[0] && minor >= OWN_OPTIONS[1]);
}

function isTemporary(text: string): boolean {
  return ['/tmp', '/var/tmp', tmpdir()].some((folder) => text.includes(folder + sep));
}

/** What separates programs of tenants on this machine, as a sentence for operators. */
export function separationOfHost(): string {
  if (process.getuid?.() !== 0)
    return 'Tenants are not separated from each other on this machine: without root, all their programs have the account of this server.';
  const { temporaryFolders, hiddenProcesses } = isolationOfHost();
  const has = [
    'an account of its own',
    ...(findProgram('setpriv') === null
      ? []
      : ['no way to other rights', 'no capabilities that it does not need']),
    ...(temporaryFolders ? ['temporary folders of its own'] : []),
    ...(hiddenProcesses ? ['no sight of processes of others'] : []),
  ];
  return `Each program of a tenant has ${has.join(', ')}. It has no seccomp filter, and the network of this machine.`;
}
