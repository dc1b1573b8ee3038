import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { hostsOf, parseRange, rangeContains } from '../../../kernel/ip.ts';
import { ownCapabilities } from '../host/privileges.ts';
import { findProgram, run } from '../host/programs.ts';

/** Says on the network that an address is here now, so that neighbours that knew it elsewhere learn where it is. */

/** How often an address is announced when it comes: neighbours may lose one. */
const ANNOUNCEMENTS = 3;

/** Gratuitous ARP (RFC 826, as in RFC 5227 3), or an unsolicited neighbour advertisement (RFC 4861 7.2.6). */
const ANNOUNCE = `
import socket, struct, sys, time
device, text, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((device, 0))
mac = s.getsockname()[4]
if ':' in text:
    own = socket.inet_pton(socket.AF_INET6, text)
    everybody = socket.inet_pton(socket.AF_INET6, 'ff02::1')
    said = struct.pack('!BBHI', 136, 0, 0, 0x20000000) + own + b'\\2\\1' + mac
    summed = own + everybody + struct.pack('!II', len(said), 58) + said
    total = sum(struct.unpack('!%dH' % (len(summed) // 2), summed))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    said = said[:2] + struct.pack('!H', ~total & 0xffff) + said[4:]
    packet = struct.pack('!IHBB', 6 << 28, len(said), 58, 255) + own + everybody + said
    frame = b'\\x33\\x33\\0\\0\\0\\1' + mac + b'\\x86\\xdd' + packet
else:
    own = socket.inet_aton(text)
    frame = b'\\xff' * 6 + mac + b'\\x08\\x06' + struct.pack('!HHBBH', 1, 0x800, 6, 4, 1) + mac + own + b'\\0' * 6 + own
for i in range(times):
    if i: time.sleep(0.2)
    s.send(frame)
`;

/** That of the system: one of a home cannot be read by the account that runs it. */
export const python = (): string | null =>
  existsSync('/usr/bin/python3') ? '/usr/bin/python3' : findProgram('python3');

/** To whom nothing has to be said, since it is not heard. */
const DISCARD_PORT = 9;
/** How many neighbours are asked for. */
const ASKED = 2;
const MOST_TOLD = 64;

/** Announces an address that this machine has.
 *  @throws Error with what is in the way; not heard, an address is found all the same, as soon as neighbours ask again */
export async function announce(address: string, device: string): Promise<void> {
  const program = python();
  if (program === null || ownCapabilities(['net_raw']).length === 0) return announceByAsking(address, device);
  const words = ['-I', '-c', ANNOUNCE, device, address, String(ANNOUNCEMENTS)];
  const { exitCode, output } = await run(program, words, { capabilities: ['net_raw'] });
  if (exitCode !== 0) throw new Error(output.trim().slice(-200));
}

/** Without the right to send frames: the kernel says where an address is when it asks, from there, who a neighbour is. In
 *  IPv4 everybody hears that, in IPv6 the neighbour alone, so that each known one is asked again. */
async function announceByAsking(address: string, device: string): Promise<void> {
  if (!isIPv6(address)) return sendNothing(address, strangers(address, device));
  const neighbours = await neighboursOf(device);
  for (const neighbour of neighbours)
    await run(findProgram('ip') ?? 'ip', ['-6', 'neigh', 'del', neighbour, 'dev', device], {
      capabilities: ['net_admin'],
    });
  const scoped = neighbours.map((each) => (each.startsWith('fe80:') ? `${each}%${device}` : each));
  await sendNothing(address, scoped);
}

/** Addresses of the same network that this machine does not know, and therefore has to ask for. */
function strangers(address: string, device: string): readonly string[] {
  const known = new Set(
    readFileSync('/proc/net/arp', 'utf8')
      .split('\n')
      .map((line) => line.split(/\s+/)[0]),
  );
  const own = networkInterfaces()[device] ?? [];
  const networks = own.flatMap(({ cidr }) => parseRange(cidr ?? '') ?? []);
  const network = networks.find((range) => range.first < range.last && rangeContains(range, address));
  const found: string[] = [];
  for (const host of network ? hostsOf(network) : []) {
    if (found.length === ASKED) break;
    if (!known.has(host) && !own.some((each) => each.address === host)) found.push(host);
  }
  return found;
}

async function neighboursOf(device: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(findProgram('ip') ?? 'ip', [
    '-6',
    'neigh',
    'show',
    'dev',
    device,
  ]);
  const lines = stdout.split('\n').filter((line) => line.includes('lladdr'));
  return lines.flatMap((line) => line.split(/\s+/)[0] ?? []).slice(0, MOST_TOLD);
}

/** Sends an empty packet to each of them. */
async function sendNothing(from: string, to: readonly string[]): Promise<void> {
  if (to.length === 0) return;
  const socket = createSocket(isIPv6(from) ? 'udp6' : 'udp4');
  // Nobody listens there, and may say so.
  socket.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: from, port: 0 }, resolve);
    });
    for (const host of to)
      await new Promise<void>((resolve) => socket.send('', DISCARD_PORT, host, () => resolve()));
  } finally {
    socket.close();
  }
}
