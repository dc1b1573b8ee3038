import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { messageOf, TaskFailed } from '../../../../kernel/errors.ts';
import { findProgram, run } from '../../host/programs.ts';
import type { ProbeTarget } from './targets.ts';

/** What `ping` needs beside its waiting, on a busy machine. */
const SPARE_MS = 5_000;

export interface ProbeAnswer {
  readonly alive: boolean;
  /** What was seen, for the user to read. */
  readonly words: string;
}

/** Looks once whether the member answers. Resolves within the target's timeout. */
export function probe(target: ProbeTarget): Promise<ProbeAnswer> {
  return target.type === 'PING' ? ping(target) : udpConnect(target);
}

/** @throws TaskFailed when a program that these probes need is missing */
export function requireProbePrograms(targets: readonly ProbeTarget[]): void {
  if (targets.some(({ type }) => type === 'PING') && findProgram('ping') === null) {
    throw new TaskFailed(
      'Health monitors of type PING need the program "ping": install the Debian package "iputils-ping"',
    );
  }
}

async function ping({ address, timeoutMs }: ProbeTarget): Promise<ProbeAnswer> {
  const program = findProgram('ping');
  if (program === null) return { alive: false, words: 'The program "ping" is missing on this machine.' };
  // macOS counts in milliseconds, Linux in seconds.
  const wait = process.platform === 'darwin' ? timeoutMs : Math.max(1, Math.ceil(timeoutMs / 1000));
  const words = ['-n', '-q', '-c', '1', '-W', `${wait}`, address];
  const { exitCode, output } = await run(program, words, {
    patienceMs: timeoutMs + SPARE_MS,
    capabilities: ['net_raw'],
  });
  if (exitCode === 0) return { alive: true, words: `${address} answers pings.` };
  // 1: silence; anything else is a fault, which ping explains.
  const said = exitCode === 1 ? '' : (output.trim().split('\n').at(-1) ?? '');
  return { alive: false, words: said || `${address} did not answer a ping within ${timeoutMs / 1000} s.` };
}

/** UDP has no answer that means "alive", only one that means "nobody there": the host's ICMP message
 *  for a closed port. Silence for the whole timeout is a success. */
function udpConnect({ address, port, timeoutMs }: ProbeTarget): Promise<ProbeAnswer> {
  const scope = `UDP port ${port} of ${address}`;
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    let settled = false;
    const settle = (alive: boolean, words: string) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      socket.close();
      resolve({ alive, words });
    };
    const fail = (error: Error) => {
      const refused = 'code' in error && error.code === 'ECONNREFUSED';
      settle(false, refused ? `Connection refused: nothing listens on ${scope}.` : messageOf(error));
    };
    const timer = setTimeout(() => settle(true, `${scope} does not refuse datagrams.`), timeoutMs);
    socket.once('error', fail);
    socket.once('message', () => settle(true, `${scope} answers.`));
    socket.connect(port, address, () => {
      socket.send('', (error) => {
        if (error) fail(error);
      });
    });
  });
}
