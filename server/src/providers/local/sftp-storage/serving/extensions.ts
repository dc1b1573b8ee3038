import type { StatsFs } from 'node:fs';
import type { SFTPWrapper } from 'ssh2';

/** Extensions of OpenSSH that the library knows as a client alone: draft-ietf-secsh-filexfer-02, and PROTOCOL of
 *  OpenSSH. */

export const POSIX_RENAME = 'posix-rename@openssh.com';
export const STATVFS = 'statvfs@openssh.com';

const ANNOUNCED = [
  [POSIX_RENAME, '1'],
  [STATVFS, '2'],
] as const;
const VERSION = 2;
const EXTENDED_REPLY = 201;

interface Protocol {
  channelData(channel: number, payload: Buffer): void;
  exitStatus(channel: number, status: number): void;
}

/** What the library has inside. */
interface Inner {
  _protocol: Protocol;
  readonly outgoing: { readonly id: number; window: number; readonly state: string };
}
const inner = (sftp: SFTPWrapper) => sftp as unknown as Inner;

/** Has the first answer name the extensions: clients use what a server names. */
export function announceExtensions(sftp: SFTPWrapper): void {
  const own = inner(sftp);
  const protocol = own._protocol;
  own._protocol = Object.create(protocol, {
    channelData: {
      value: (channel: number, payload: Buffer) => {
        own._protocol = protocol;
        protocol.channelData(channel, payload[4] === VERSION ? versionPacket() : payload);
      },
    },
  });
}

/** Ends the channel in order: clients such as `scp` take a missing status for a failure.
 *  @param status 0 when all was done that was asked for */
export function endInOrder(sftp: SFTPWrapper, status: number): void {
  const { _protocol, outgoing } = inner(sftp);
  if (outgoing.state === 'open' || outgoing.state === 'eof') _protocol.exitStatus(outgoing.id, status);
  sftp.end();
}

/** Answers how much room there is. @returns false when the client does not listen */
export function answerRoom(sftp: SFTPWrapper, id: number, stats: StatsFs): boolean {
  const { _protocol, outgoing } = inner(sftp);
  const values = [
    stats.bsize,
    stats.bsize,
    stats.blocks,
    stats.bfree,
    stats.bavail,
    stats.files,
    stats.ffree,
    stats.ffree,
    0,
    0,
    255,
  ];
  const packet = Buffer.alloc(9 + values.length * 8);
  packet.writeUInt32BE(packet.length - 4);
  packet[4] = EXTENDED_REPLY;
  packet.writeUInt32BE(id, 5);
  for (const [index, value] of values.entries()) packet.writeBigUInt64BE(BigInt(value), 9 + index * 8);
  if (outgoing.state !== 'open' || outgoing.window < packet.length) return false;
  outgoing.window -= packet.length;
  _protocol.channelData(outgoing.id, packet);
  return true;
}

function versionPacket(): Buffer {
  const texts = ANNOUNCED.flat().map((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([length, Buffer.from(text)]);
  });
  const packet = Buffer.concat([Buffer.from([0, 0, 0, 0, VERSION, 0, 0, 0, 3]), ...texts]);
  packet.writeUInt32BE(packet.length - 4);
  return packet;
}
