import { type InstanceProvider, RESTORE_INSTANCE } from '../../features/instances/port.ts';
import { READY } from '../../kernel/operation.ts';
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

/** Machines on paper: real timing, nothing that runs. Keeps nothing in memory. */
export function simulatedInstances(options: SimulationOptions): InstanceProvider {
  return {
    async applyInstance(_desired, _first, operation) {
      if (operation.type === RESTORE_INSTANCE) return READY;
      return progressOf(operation, DURATIONS[operation.type] ?? CHANGE, options);
    },
    async removeInstance(_id, operation) {
      // Any other task that removes is taking back what it did.
      if (operation.type !== 'delete_vm') return READY;
      return progressOf(operation, DURATIONS.delete_vm ?? CHANGE, options);
    },
  };
}
