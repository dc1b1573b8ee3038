import { isIPv4, isIPv6 } from 'node:net';
import { ownCapabilities } from '../host/privileges.ts';
import { run } from '../host/programs.ts';
import { python } from './announce.ts';

/** Whether another machine of the network has an address that this one has, too: as it is when that one has taken over a
 *  region, and this one could not be told. */

/** Of many addresses a few tell: they move together. */
const ASKED = 8;
/** Of the program, when somebody else has one. */
const FOUND = 3;

/** An address conflict is detected as in RFC 5227 and RFC 4862 (5.4): whoever answers a probe from nobody has the address.
 *  The words: the device, and addresses of one version. */
const PROBE = `
import socket, struct, sys, time
device, texts = sys.argv[1], sys.argv[2:]
six = ':' in texts[0]
kind = 0x86dd if six else 0x806
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(kind))
s.bind((device, kind))
mac = s.getsockname()[4]
asked = [socket.inet_pton(socket.AF_INET6 if six else socket.AF_INET, text) for text in texts]
def solicit(own):
    group = socket.inet_pton(socket.AF_INET6, 'ff02::1:ff00:0')[:13] + own[13:]
    said = struct.pack('!BBHI', 135, 0, 0, 0) + own
    summed = bytes(16) + group + struct.pack('!II', len(said), 58) + said
    total = sum(struct.unpack('!%dH' % (len(summed) // 2), summed))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    said = said[:2] + struct.pack('!H', ~total & 0xffff) + said[4:]
    packet = struct.pack('!IHBB', 6 << 28, len(said), 58, 255) + bytes(16) + group + said
    return b'\\x33\\x33' + group[12:] + mac + b'\\x86\\xdd' + packet
def ask(own):
    return b'\\xff' * 6 + mac + b'\\x08\\x06' + struct.pack('!HHBBH', 1, 0x800, 6, 4, 1) + mac + b'\\0' * 10 + own
def answers(frame):
    if six: return frame[6:12] != mac and frame[20:21] == b'\\x3a' and frame[54:55] == b'\\x88' and frame[62:78] in asked
    return frame[22:28] != mac and frame[28:32] in asked
for own in asked: s.send(solicit(own) if six else ask(own))
until = time.monotonic() + 0.5
# What came while this process had to wait for a processor is read all the same.
while time.monotonic() < until + 2:
    s.settimeout(max(0.01, until - time.monotonic()))
    try: frame = s.recv(128)
    except socket.timeout: break
    if answers(frame): sys.exit(FOUND)
`;

/** @param addresses of the device's network
 *  @returns undefined when none could be asked for, as where frames cannot be sent */
export async function isElsewhere(
  addresses: readonly string[],
  device: string,
): Promise<boolean | undefined> {
  const program = python();
  if (program === null || ownCapabilities(['net_raw']).length === 0) return undefined;
  let answer: boolean | undefined;
  const probe = PROBE.replace('FOUND', String(FOUND));
  for (const isOfVersion of [isIPv4, isIPv6]) {
    const requested = addresses.filter((address) => isOfVersion(address)).slice(0, ASKED);
    if (requested.length === 0) continue;
    const words = ['-I', '-c', probe, device, ...requested];
    const { exitCode } = await run(program, words, { capabilities: ['net_raw'] });
    if (exitCode === FOUND) return true;
    if (exitCode === 0) answer = false;
  }
  return answer;
}
