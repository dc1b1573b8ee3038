import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { findProgram, run } from '../programs.ts';
import type { ProbeTarget } from './targets.ts';

/** What `ping` needs beside its waiting, on a busy machine. */
const SPARE_MS = 5_000;

/** Looks once whether the member answers. Resolves within the target's timeout. */
export function probe(target: ProbeTarget): Promise<boolean> {
  return target.type === 'PING' ? ping(target) : udpConnect(target);
}

/** @throws TaskFailed when a program that these probes need is missing */
export function requireProbePrograms(targets: readonly ProbeTarget[]): void {
  if (targets.some(({ type }) => type === 'PING') && findProgram('ping') === null) {
    throw new TaskFailed(
      'Health monitors of type PING need the program "ping": install the Debian package "iputils-ping".',
    );
  }
}

async function ping({ address, timeoutMs }: ProbeTarget): Promise<boolean> {
  const program = findProgram('ping');
  if (program === null) return false;
  // macOS counts in milliseconds, Linux in seconds.
  const wait = process.platform === 'darwin' ? timeoutMs : Math.max(1, Math.ceil(timeoutMs / 1000));
  const words = ['-n', '-q', '-c', '1', '-W', `${wait}`, address];
  const { exitCode } = await run(program, words, {
    patienceMs: timeoutMs + SPARE_MS,
    capabilities: ['net_raw'],
  });
  return exitCode === 0;
}

/** UDP has no answer that means "alive", only one that means "nobody there": the host's ICMP message
 *  for a closed port. Silence for the whole timeout is a success. */
function udpConnect({ address, port, timeoutMs }: ProbeTarget): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    let settled = false;
    const settle = (alive: boolean) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      socket.close();
      resolve(alive);
    };
    const timer = setTimeout(() => settle(true), timeoutMs);
    socket.once('error', () => settle(false));
    socket.once('message', () => settle(true));
    socket.connect(port, address, () => {
      socket.send('', (error) => {
        if (error) settle(false);
      });
    });
  });
}
