import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Account } from './accounts.ts';
import { readText, removeFolder, writeFileAtomically } from './files.ts';
import { allPids, commandLine } from './processes.ts';

/** An account of the machine for each home of engines: the folder of one cluster, storage or load balancer. The
 *  accounts are numbers of a range that nothing else uses; they need no entry in /etc/passwd.
 *
 *  A claim is a file named after the number, in a folder of the machine, that names the home. The home names the number
 *  in turn. A claim is void once its home is gone. */

export interface AccountRange {
  readonly first: number;
  readonly last: number;
}

/** Above the accounts of people and of systemd (65,519), below the sub-ids that useradd gives out (100,000). */
const USUAL: AccountRange = { first: 70_000, last: 99_999 };
/** Where a user namespace has only the numbers of 16 bits. */
const SMALL: AccountRange = { first: 40_000, last: 59_999 };
/** Where the claims of this machine are. */
export const CLAIMS_FOLDER = '/var/lib/virga-accounts';
/** File of a home that names its account. */
const NOTE = 'account';

let range: AccountRange | undefined;
let claims = CLAIMS_FOLDER;
/** `70001 /data/…`: claims that this process has seen to be right. */
const seen = new Set<string>();

/** Sets where accounts come from, for this process.
 *  @param folder of the machine's claims; absent: as it is */
export function useAccounts(options: {
  readonly range?: AccountRange | undefined;
  readonly folder?: string;
}): void {
  range = options.range;
  claims = options.folder ?? claims;
}

/** The range in `70000-99999`, or undefined when the text is none.
 *  Root and the accounts of distributions (below 1,000) are never in one. */
export function parseAccountRange(text: string): AccountRange | undefined {
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  const parsed = { first: Number(first), last: Number(last) };
  const isRange = parsed.first >= 1000 && parsed.last > parsed.first && parsed.last < 2 ** 31;
  return first !== undefined && isRange ? parsed : undefined;
}

/** The account of the programs of a home, the same as long as the home exists. Makes the home when it is not there.
 *  Undefined: this process is not root, and its own account has to do.
 *  @throws Error when the range is used up, or cannot be used on this machine */
export function accountOf(home: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const noted = notedAccount(home);
  if (noted !== undefined && (seen.has(keyOf(noted, home)) || claim(noted, home))) return account(noted);
  const former = formerOwner(home);
  // What version 0.3.0 has left running keeps its account until it ends.
  if (noted === undefined && former !== undefined && isInUse(home)) return former;
  return newAccount(home);
}

/** Gives a home an account of its own if it has none, although programs of an earlier version may run there. */
export function separate(home: string): void {
  if (process.getuid?.() === 0 && notedAccount(home) === undefined) newAccount(home);
}

/** Gives a home that comes from a backup an account of this machine, where the one that it had may be somebody else's. */
export function resettle(home: string): void {
  const former = notedAccount(home);
  if (process.getuid?.() !== 0 || former === undefined) return;
  rmSync(path.join(home, NOTE));
  const uid = allocate(home);
  writeFileAtomically(path.join(home, NOTE), String(uid));
  giveTo(home, account(former), uid);
}

function newAccount(home: string): Account {
  const former = formerOwner(home);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const uid = allocate(home);
  writeFileAtomically(path.join(home, NOTE), String(uid));
  if (former !== undefined) giveTo(home, former, uid);
  return account(uid);
}

/** Whether a process has the account of a home. */
export function hasAccount(pid: number, home: string): boolean {
  const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
  return owner === undefined || owner === (accountOf(home)?.uid ?? owner);
}

/** Removes a home with all that is in it, and gives its account back. Its programs have ended.
 *  @param folder where it is now, if it was renamed to be removed as a whole */
export async function removeHome(home: string, folder = home): Promise<void> {
  const uid = notedAccount(folder);
  await removeFolder(folder);
  if (uid === undefined) return;
  seen.delete(keyOf(uid, home));
  if (readText(claimOf(uid)) === home) rmSync(claimOf(uid), { force: true });
}

/** Removes claims whose homes are gone. */
export function removeVoidClaims(): void {
  if (process.getuid?.() !== 0 || !existsSync(claims)) return;
  for (const name of readdirSync(claims)) {
    const home = readText(path.join(claims, name));
    if (home !== null && home !== '' && !existsSync(home)) rmSync(path.join(claims, name), { force: true });
  }
}

const account = (uid: number): Account => ({ name: `uid ${uid}`, uid, gid: uid });
const keyOf = (uid: number, home: string) => `${uid} ${home}`;
const claimOf = (uid: number) => path.join(claims, String(uid));

function notedAccount(home: string): number | undefined {
  const text = readText(path.join(home, NOTE));
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Looks from a place on that depends on the home: a number that was given back is not given out again soon. */
function allocate(home: string): number {
  const { first, last } = usableRange();
  const taken = accountsOfHost();
  const size = last - first + 1;
  const from = createHash('sha256').update(home).digest().readUInt32BE() % size;
  for (let step = 0; step < size; step += 1) {
    const uid = first + ((from + step) % size);
    if (taken.has(uid) || !claim(uid, home)) continue;
    if (!hasProcesses(uid)) return uid;
    seen.delete(keyOf(uid, home));
    rmSync(claimOf(uid), { force: true });
  }
  throw new Error(
    `All accounts from ${first} to ${last} are in use: set VIRGA_ENGINE_ACCOUNTS to a larger range`,
  );
}

/** @returns whether the number is this home's from now on, or was already */
function claim(uid: number, home: string): boolean {
  mkdirSync(claims, { recursive: true, mode: 0o711 });
  try {
    const file = openSync(claimOf(uid), 'wx', 0o600);
    writeSync(file, home);
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const holder = readText(claimOf(uid));
    if (holder !== home && !isLeftBehind(holder, home)) return false;
    if (holder !== home) writeFileAtomically(claimOf(uid), home);
  }
  seen.add(keyOf(uid, home));
  return true;
}

/** Whether a claim is of this very home before it was moved, or was cut off while it was written. */
const isLeftBehind = (holder: string | null, home: string): boolean =>
  holder === null || holder === '' || (!existsSync(holder) && path.basename(holder) === path.basename(home));

function usableRange(): AccountRange {
  if (range) return range;
  return isMapped(USUAL) ? USUAL : SMALL;
}

/** Whether this process's user namespace has these numbers, see user_namespaces(7). */
function isMapped({ first, last }: AccountRange): boolean {
  const text = readText('/proc/self/uid_map');
  if (text === null) return true;
  return text.split('\n').some((line) => {
    const [inside = NaN, , length = 0] = line.trim().split(/\s+/).map(Number);
    return inside <= first && last < inside + length;
  });
}

/** Numbers that somebody has on this machine. */
function accountsOfHost(): ReadonlySet<number> {
  const lines = ['/etc/passwd', '/etc/group'].flatMap((file) => (readText(file) ?? '').split('\n'));
  return new Set(lines.map((line) => Number(line.split(':')[2])));
}

function hasProcesses(uid: number): boolean {
  return allPids().some((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid);
}

/** The one account that all engines had in version 0.3.0, where a home is of that time. */
function formerOwner(home: string): Account | undefined {
  if (!existsSync(home)) return undefined;
  for (const name of readdirSync(home)) {
    const stat = lstatSync(path.join(home, name), { throwIfNoEntry: false });
    if (stat && stat.uid !== 0) return { name: `uid ${stat.uid}`, uid: stat.uid, gid: stat.gid };
  }
  return undefined;
}

const isInUse = (home: string): boolean => {
  const inside = home + path.sep;
  return allPids().some((pid) => commandLine(pid).some((word) => word.includes(inside)));
};

/** Gives what another account has in a home to this one. Nothing runs there that could change the names meanwhile. */
function giveTo(home: string, former: Account, uid: number): void {
  const from = [`--from=${former.uid}`, `--from=0:${former.gid}`];
  const to = [`${uid}:${uid}`, `0:${uid}`];
  for (const [index, whose] of from.entries())
    execFileSync('chown', ['-R', '-h', '-P', whose, to[index] ?? '', '--', home], { stdio: 'ignore' });
}

/** The numbers that are claimed, with their homes; for people and tests. */
export function claimedAccounts(): ReadonlyMap<number, string> {
  if (!existsSync(claims)) return new Map();
  return new Map(
    readdirSync(claims).map((name) => [Number(name), readFileSync(path.join(claims, name), 'utf8')]),
  );
}
