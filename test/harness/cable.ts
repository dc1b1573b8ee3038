import { execFile, execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { findProgram } from '../../server/src/kernel/find-program.ts';

/** A network namespace of a test, in which clients are, and a cable from this one to it. */

/** Why there can be none here; undefined: there can. */
export function cableFault(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  const missing = ['ip', 'nsenter', 'python3'].find((name) => findProgram(name) === null);
  return missing && `${missing} is not installed`;
}

/** @returns what the program says; throws when it fails */
export const run = (...words: string[]): string =>
  execFileSync(words[0] ?? '', words.slice(1), { encoding: 'utf8' });

export interface Cable {
  /** The interface at this end, with .1 of the network and 2001:db8:77::1. */
  readonly here: string;
  /** At the other end: .2 and ::2. */
  readonly there: string;
  /** Runs a program at the other end. */
  inside(...words: string[]): string;
  /** Runs a module of JavaScript at the other end.
   *  @param env variables beside those of this process
   *  @returns what it writes */
  script(text: string, env?: NodeJS.ProcessEnv): Promise<string>;
  /** Addresses at this end with their prefixes. */
  addresses(): (string | null)[];
  remove(): void;
}

/** @param network three numbers that no other test on this machine uses, such as 198.51.100 */
export function newCable(network: string): Cable {
  const letter = network.slice(0, 3);
  const namespace = `virga-test-${letter}${process.pid}`;
  const [here, there] = [`vg${letter}h${process.pid}`, `vg${letter}t${process.pid}`];
  const enter = [`--net=/run/netns/${namespace}`];
  const inside = (...words: string[]) => run('nsenter', ...enter, ...words);
  run('ip', 'netns', 'add', namespace);
  run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', namespace);
  run('ip', 'addr', 'add', `${network}.1/24`, 'dev', here);
  run('ip', '-6', 'addr', 'add', '2001:db8:77::1/64', 'dev', here, 'nodad');
  run('ip', 'link', 'set', here, 'up');
  inside('ip', 'addr', 'add', `${network}.2/24`, 'dev', there);
  inside('ip', '-6', 'addr', 'add', '2001:db8:77::2/64', 'dev', there, 'nodad');
  inside('ip', 'link', 'set', there, 'up');
  // An entry that is younger than a second would not be changed.
  inside('sh', '-c', `echo 0 > /proc/sys/net/ipv4/neigh/${there}/locktime`);
  return {
    here,
    there,
    inside,
    script: async (text, env = {}) => {
      const words = [...enter, process.execPath, '--input-type=module', '-e', text];
      return (await promisify(execFile)('nsenter', words, { env: { ...process.env, ...env } })).stdout;
    },
    addresses: () => (networkInterfaces()[here] ?? []).map(({ cidr }) => cidr),
    remove: () => {
      execFileSync('ip', ['link', 'del', here]);
      execFileSync('ip', ['netns', 'del', namespace]);
    },
  };
}
