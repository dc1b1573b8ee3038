import { sep } from 'node:path';
import { allPids, commandLine, identify, terminate } from '../../../kernel/processes.ts';

/** Ends data-plane processes under this data directory that no load balancer counts as its own, which
 *  a crash at the wrong moment can leave behind.
 *  @param root directory that their configuration files are in
 *  @param belongs whether a process is (or may be about to become) the load balancer's own */
export async function endStrays(
  root: string,
  belongs: (loadBalancer: string, pid: number) => boolean,
): Promise<void> {
  for (const { pid, loadBalancer } of daemonsUnder(root)) {
    if (belongs(loadBalancer, pid)) continue;
    const identity = identify(pid);
    if (identity) await terminate(identity);
  }
}

/** Every data-plane process whose configuration is under this directory. */
export function daemonsUnder(root: string): { readonly pid: number; readonly loadBalancer: string }[] {
  return allPids().flatMap((pid) => {
    const loadBalancer = loadBalancerOf(commandLine(pid), root);
    return loadBalancer === null ? [] : [{ pid, loadBalancer }];
  });
}

/** Every process that works on something under this directory. Who only reads a log there serves nobody. */
export function programsUnder(root: string): readonly number[] {
  const isInside = (word: string) => word.startsWith(root + sep) && !word.endsWith('.log');
  return allPids().filter((pid) => commandLine(pid).some(isInside));
}

/** The load balancer whose daemon has this command line, or null: it is no daemon of ours. */
function loadBalancerOf(words: readonly string[], root: string): string | null {
  const [program = ''] = words;
  // nginx writes its whole command line into the first word.
  const isDaemon = program.startsWith('nginx: master') || (/haproxy$/.test(program) && words.includes('-D'));
  if (!isDaemon) return null;
  const path = words.flatMap((word) => word.split(' ')).find((word) => word.startsWith(root + sep));
  return path?.slice(root.length + 1).split(sep)[0] ?? null;
}
