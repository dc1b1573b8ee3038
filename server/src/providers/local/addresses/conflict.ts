import { isIPv4 } from 'node:net';
import { ownCapabilities } from '../host/privileges.ts';
import { run } from '../host/programs.ts';
import { python } from './announce.ts';

/** Whether another machine of the network has an address that this one has, too: as it is when that one has taken over a
 *  region, and this one could not be told. */

/** Of many addresses a few tell: they move together. */
const ASKED = 8;
/** Of the program, when somebody else has one. */
const FOUND = 3;

/** An address conflict is detected as in RFC 5227: whoever answers a probe from nobody has the address. */
const PROBE = `
import socket, struct, sys, time
device, texts = sys.argv[1], sys.argv[2:]
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x806))
s.bind((device, 0x806))
mac = s.getsockname()[4]
asked = [socket.inet_aton(text) for text in texts]
for own in asked:
    s.send(b'\\xff' * 6 + mac + b'\\x08\\x06' + struct.pack('!HHBBH', 1, 0x800, 6, 4, 1) + mac + b'\\0' * 10 + own)
until = time.monotonic() + 0.5
while time.monotonic() < until:
    s.settimeout(max(0.01, until - time.monotonic()))
    try: frame = s.recv(64)
    except socket.timeout: break
    if frame[22:28] != mac and frame[28:32] in asked: sys.exit(%d)
`;

/** @param addresses that this machine has on the device; those of IPv6 say nothing
 *  @returns false also where frames cannot be sent */
export async function isElsewhere(addresses: readonly string[], device: string): Promise<boolean> {
  const requested = addresses.filter((address) => isIPv4(address)).slice(0, ASKED);
  const program = python();
  if (requested.length === 0 || program === null || ownCapabilities(['net_raw']).length === 0) return false;
  const words = ['-I', '-c', PROBE.replace('%d', String(FOUND)), device, ...requested];
  return (await run(program, words, { capabilities: ['net_raw'] })).exitCode === FOUND;
}
