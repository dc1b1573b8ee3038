import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from './cable.ts';
import { outputOf } from './process.ts';

/** Machines of a test: network namespaces on one segment of Ethernet, of which this machine is the switch. In each the
 *  interface is eth0; this machine has .1 of the network. */
export class Segment {
  /** The interface of this machine. */
  readonly bridge = `vgbr${process.pid}`;
  readonly #names: readonly string[];
  readonly #network: string;

  /** @param names of the machines: .10 is the first one's, and so on
   *  @param network three numbers that no other segment on this machine uses at the same time */
  constructor(names: readonly string[], network = '198.18.77') {
    this.#names = names;
    this.#network = network;
    run('ip', 'link', 'add', this.bridge, 'type', 'bridge');
    run('ip', 'addr', 'add', `${network}.1/24`, 'dev', this.bridge);
    run('ip', 'link', 'set', this.bridge, 'up');
    for (const [index, name] of names.entries()) {
      const [namespace, port] = [this.#namespace(name), this.#port(index)];
      run('ip', 'netns', 'add', namespace);
      run('ip', 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      run('ip', 'link', 'set', port, 'master', this.bridge, 'up');
      run(...this.enter(name), 'ip', 'link', 'set', 'lo', 'up');
      run(...this.enter(name), 'ip', 'addr', 'add', `${network}.${10 + index}/24`, 'dev', 'eth0');
      run(...this.enter(name), 'ip', 'link', 'set', 'eth0', 'up');
      // An entry that is younger than a second would not be changed.
      run(...this.enter(name), 'sh', '-c', 'echo 0 > /proc/sys/net/ipv4/neigh/eth0/locktime');
    }
  }

  /** Words that run what follows on a machine. */
  enter(name: string): string[] {
    return ['nsenter', `--net=/run/netns/${this.#namespace(name)}`];
  }

  /** Pids of what runs on a machine. */
  processes(name: string): number[] {
    return run('ip', 'netns', 'pids', this.#namespace(name)).split('\n').filter(Boolean).map(Number);
  }

  /** Pulls the cable of a machine, or plugs it in again. */
  link(name: string, state: 'up' | 'down'): void {
    run('ip', 'link', 'set', this.#port(this.#names.indexOf(name)), state);
  }

  /** Whether a machine reaches a port of this one: after its cable was plugged in again, that takes a moment. */
  reaches(name: string, port: number): boolean {
    try {
      run(...this.enter(name), 'bash', '-c', `exec 3<>/dev/tcp/${this.#network}.1/${port}`);
      return true;
    } catch {
      return false;
    }
  }

  /** Addresses of its eth0, without prefixes. */
  addresses(name: string): string[] {
    const shown = JSON.parse(run(...this.enter(name), 'ip', '-json', 'addr', 'show', 'dev', 'eth0'));
    return shown[0].addr_info.map(({ local }: { readonly local: string }) => local);
  }

  /** Takes an address away, as it is gone after a loss of power. */
  forget(name: string, address: string): void {
    run(...this.enter(name), 'ip', 'addr', 'del', `${address}/32`, 'dev', 'eth0');
  }

  /** Leaves an address there, as a server that was killed does. */
  keep(name: string, address: string): void {
    const single = address.includes(':') ? [`${address}/128`, 'nodad'] : [`${address}/32`];
    run(...this.enter(name), 'ip', 'addr', 'add', ...single, 'dev', 'eth0');
  }

  remove(): void {
    execFileSync('ip', ['link', 'del', this.bridge]);
    for (const name of this.#names) execFileSync('ip', ['netns', 'del', this.#namespace(name)]);
  }

  #namespace(name: string): string {
    return `virga-test-${name}-${process.pid}`;
  }

  #port(index: number): string {
    return `vgp${index}-${process.pid}`;
  }
}

/** What the clients of an address saw. */
export interface Seen {
  readonly answered: number;
  readonly failed: number;
  /** Milliseconds from one answer to the next one, at most. */
  readonly longestGap: number;
}

/** Asks with a new connection fifty times a second, and gives up a request after half a second. */
const CLIENT = `
const [url] = process.argv.slice(1);
let [answered, failed, longestGap, last, over] = [0, 0, 0, performance.now(), false];
const ask = async () => {
  try {
    const response = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(500) });
    await response.text();
    if (!response.ok) throw new Error();
    const now = performance.now();
    if (answered > 0) longestGap = Math.max(longestGap, now - last);
    [answered, last] = [answered + 1, now];
    process.stdout.write('.');
  } catch { failed += 1; }
};
const timer = setInterval(() => void ask(), 20);
process.stdin.resume().on('end', async () => {
  clearInterval(timer);
  process.stdout.write('\\n' + JSON.stringify({ answered, failed, longestGap: Math.max(longestGap, performance.now() - last) }));
  process.exit(0);
});`;

/** Clients on a machine of the segment. */
export class Clients {
  readonly #child: ChildProcess;
  readonly #output: () => string;

  constructor(enter: readonly string[], url: string) {
    const [program = '', ...words] = [...enter, process.execPath, '-e', CLIENT, url];
    this.#child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#output = outputOf(this.#child);
  }

  /** How many answers there were so far. */
  get answered(): number {
    return this.#output().length;
  }

  async stop(): Promise<Seen> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
    return JSON.parse(this.#output().split('\n').at(-1) ?? '');
  }
}
