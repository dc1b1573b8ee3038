import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { canonicalAddress } from '../../../kernel/ip.ts';
import { commandLine } from '../../../kernel/processes.ts';

export type Transport = 'tcp' | 'udp';

/** A socket that waits for clients, as the kernel lists it. */
export interface ListeningSocket {
  /** In its one spelling. */
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

const WAITING_STATE = { tcp: '0A', udp: '07' } as const;

/** The kernel's lists; those that end with 6 have what is bound to IPv6. Each takes it milliseconds. */
export type SocketTable = Transport | `${Transport}6`;

/** All waiting sockets of this transport, or null where the system does not say. */
export function listeningSockets(transport: Transport): ListeningSocket[] | null {
  const found = listeningIn(transport);
  return found && [...found, ...(listeningIn(`${transport}6`) ?? [])];
}

/** The waiting sockets of one list, or null where the system does not have it. */
export function listeningIn(table: SocketTable): ListeningSocket[] | null {
  const transport = table.startsWith('tcp') ? 'tcp' : 'udp';
  return readTable(table)?.flatMap((line) => parse(line, transport)) ?? null;
}

/** Program and pid of whoever holds a port of this address, also through a wildcard address, in
 *  words such as `nginx (pid 12)`; null when nobody does or it cannot be seen. */
export function holderOf(address: string, port: number, transport: Transport): string | null {
  const pid = holderPid(address, port, transport);
  if (pid === undefined) return null;
  return pid === null ? 'a program of another user' : `${programName(pid)} (pid ${pid})`;
}

/** Its pid; null when it cannot be seen, undefined when nobody holds it. */
export function holderPid(address: string, port: number, transport: Transport): number | null | undefined {
  const canonical = canonicalAddress(address);
  const holders = new Set([canonical, '::', ...(canonical.includes(':') ? [] : ['0.0.0.0'])]);
  const held = listeningSockets(transport)?.find((each) => each.port === port && holders.has(each.address));
  return held && ownerOf(held.inode);
}

function programName(pid: number): string {
  const words = commandLine(pid);
  return words[0]?.split(' ')[0]?.split('/').at(-1)?.replace(/:$/, '') ?? 'a program';
}

function ownerOf(inode: string): number | null {
  const link = `socket:[${inode}]`;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const descriptors = readdirSync(`/proc/${entry}/fd`);
      if (descriptors.some((fd) => readlinkSync(`/proc/${entry}/fd/${fd}`) === link)) return Number(entry);
    } catch {
      // Gone meanwhile, or not ours to see.
    }
  }
  return null;
}

function readTable(name: SocketTable): string[] | null {
  try {
    return readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1);
  } catch {
    return null;
  }
}

function parse(line: string, transport: Transport): ListeningSocket[] {
  const fields = line.trim().split(/\s+/);
  const [, local = '', , state] = fields;
  if (state !== WAITING_STATE[transport]) return [];
  const [hexAddress = '', hexPort = ''] = local.split(':');
  return [{ address: parseAddress(hexAddress), port: Number.parseInt(hexPort, 16), inode: fields[9] ?? '' }];
}

/** An address of the kernel's lists: 32-bit words in the machine's byte order, which is little-endian wherever we
 *  run. */
export function parseAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  const groups = bytes.join('').match(/.{4}/g) ?? [];
  return canonicalAddress(groups.join(':'));
}
