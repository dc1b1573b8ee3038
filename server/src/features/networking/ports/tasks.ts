import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask } from '../../../platform/tasks/providers.ts';
import { freeAddresses } from '../addresses/index.ts';
import type { NetworkProvider } from '../networks/index.ts';
import type { PortSettings } from './model.ts';
import { releasePort } from './store.ts';

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
    return (
      waitFor(await provider.changeNetwork(run.operation)) ??
      done({}, async (tx) => {
        await freeAddresses(tx, subject, oldAddresses);
        await releasePort(tx, holdOf(run), settings);
      })
    );
  },
  undo: async (run) =>
    done({}, async (tx) => {
      await freeAddresses(tx, run.task.subject, (run.task.input as PortChange).newAddresses);
      await releasePort(tx, holdOf(run));
    }),
});
