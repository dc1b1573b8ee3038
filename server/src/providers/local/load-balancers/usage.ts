import { readFileSync } from 'node:fs';
import type { Usage } from '../../../features/load-balancers/port.ts';
import { type ProcessIdentity, processKey, statFields } from '../../../kernel/processes.ts';

/** Milliseconds of one tick of the kernel's accounting, which is 100 Hz towards programs everywhere. */
const TICK_MS = 10;

type ProcessUsage = Pick<Usage, 'cpuMs' | 'memoryBytes'>;

/** What the processes of one load balancer use. Processor time of those that have ended stays in the sum as long
 *  as the server lives. */
export class UsageMeter {
  readonly #cpu = new Map<string, number>();
  #ended = 0;

  /** @returns null where the system does not say */
  read(processes: readonly ProcessIdentity[]): ProcessUsage | null {
    const readings = processes.map((identity) => [processKey(identity), usageOf(identity.pid)] as const);
    const alive = new Map(readings.flatMap(([key, usage]) => (usage ? [[key, usage] as const] : [])));
    if (processes.length > 0 && alive.size === 0) return null;
    for (const [key, cpuMs] of this.#cpu) {
      if (alive.has(key)) continue;
      this.#ended += cpuMs;
      this.#cpu.delete(key);
    }
    let [cpuMs, memoryBytes] = [this.#ended, 0];
    for (const [key, usage] of alive) {
      this.#cpu.set(key, usage.cpuMs);
      cpuMs += usage.cpuMs;
      memoryBytes += usage.memoryBytes;
    }
    return { cpuMs, memoryBytes };
  }
}

/** Processor time and resident memory of a process; null when it has ended or the system does not say. */
function usageOf(pid: number): ProcessUsage | null {
  const fields = statFields(pid);
  if (!fields) return null;
  try {
    // They begin with the third; 14 and 15 are user and system.
    const ticks = Number(fields[11]) + Number(fields[12]);
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return resident === undefined ? null : { cpuMs: ticks * TICK_MS, memoryBytes: Number(resident) * 1024 };
  } catch {
    return null;
  }
}
