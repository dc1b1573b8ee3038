import {
  type InstanceProvider,
  type InstanceUse,
  type ObservedInstance,
  RESTORE_INSTANCE,
} from '../../features/instances/port.ts';
import { READY } from '../../kernel/operation.ts';
import { type SeriesWindow, timesIn } from '../../kernel/series.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_vm: [15, 30],
  delete_vm: [5, 15],
  resize_vm: [20, 40],
  soft_reboot_vm: [10, 20],
  hard_reboot_vm: [10, 20],
};
const CHANGE: Range = [3, 10];

/** Simulated instances: real timing, nothing that runs. Keeps nothing in memory. */
export function simulatedInstances(options: SimulationOptions): InstanceProvider {
  return {
    async applyInstance(_desired, _first, operation) {
      if (operation.type === RESTORE_INSTANCE) return READY;
      return progressOf(operation, DURATIONS[operation.type] ?? CHANGE, options);
    },
    async removeInstance(_id, operation) {
      // Any other task that removes is undoing what it did.
      if (operation.type !== 'delete_vm') return READY;
      return progressOf(operation, DURATIONS.delete_vm ?? CHANGE, options);
    },
    readUse: async (instance, window) => idle(instance, window),
  };
}

/** Nothing runs in it, so that it uses nothing. */
function idle({ since, disks }: ObservedInstance, window: SeriesWindow): InstanceUse[] {
  return timesIn(window, since).map((at) => ({
    at,
    cpuUtil: 0,
    memoryUtil: 0,
    disks: disks.map((name) => ({ name, bytesRead: 0, bytesWritten: 0, reads: 0, writes: 0 })),
    network: { bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0 },
  }));
}
