import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask, undoing } from '../../../platform/tasks/providers.ts';
import { freeAddresses } from '../addresses/index.ts';
import type { NetworkProvider } from '../networks/index.ts';
import { desiredPort } from './desired.ts';
import type { PortRow, PortSettings } from './model.ts';
import { readPorts, releasePort } from './store.ts';

const DEADLINE_MS = 15 * 60_000;

/** How a port is to be. It has its new addresses since the change was accepted, so that nobody else claims them. */
export interface PortChange {
  readonly settings: PortSettings;
  readonly newAddresses: readonly string[];
  readonly oldAddresses: readonly string[];
}

/** Changes a port; when that fails, it is as it was. */
export const updatePortTask = (
  providerOf: (regionId: number) => NetworkProvider | undefined,
): TaskHandler => ({
  type: 'update_port',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { subject, input } = run.task;
    const provider = providerOfTask('networks')(run, { providerOf });
    const { settings, oldAddresses } = input as PortChange;
    const [row] = await readPorts(run.db, [subject]);
    const after = row && { ...without(row, oldAddresses), ...settings };
    const waiting = after && waitFor(await provider.apply(desiredPort(after), run.operation));
    return (
      waiting ??
      done({}, async (tx) => {
        await freeAddresses(tx, subject, oldAddresses);
        await releasePort(tx, holdOf(run), settings);
      })
    );
  },
  async undo(run) {
    const { subject, input } = run.task;
    const provider = providerOfTask('networks')(run, { providerOf });
    const { newAddresses } = input as PortChange;
    const [row] = await readPorts(run.db, [subject]);
    const before = row && desiredPort(without(row, newAddresses));
    const waiting = before && waitFor(await provider.apply(before, undoing(run, 'restore_port')));
    return (
      waiting ??
      done({}, async (tx) => {
        await freeAddresses(tx, subject, newAddresses);
        await releasePort(tx, holdOf(run));
      })
    );
  },
});

const without = (row: PortRow, addresses: readonly string[]): PortRow => ({
  ...row,
  ip_assignments: row.ip_assignments.filter((each) => !addresses.includes(each.ip_address)),
});
