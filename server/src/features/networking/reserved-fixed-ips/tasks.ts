import { TaskFailed } from '../../../kernel/errors.ts';
import { firstFreeHost } from '../../../kernel/ip.ts';
import type { Db } from '../../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import { providerOfTask } from '../../../platform/tasks/providers.ts';
import { release } from '../../quotas/index.ts';
import type { AddressProvider } from '../addresses/index.ts';
import { readAddressesInUse, readSource } from '../networks/index.ts';
import type { ReservedIpRow } from './model.ts';
import type { ReservedIpDeps } from './service.ts';
import {
  type AddressColumn,
  deleteReservedIp,
  readHeld,
  releaseReservedIps,
  storeReservedAddress,
} from './store.ts';

const DEADLINE_MS = 15 * 60_000;
const MAX_ATTEMPTS = 50;

/** Gives a new reserved fixed IP its address; when that fails, nothing of it is left. */
export const createReservedIpTask = (deps: ReservedIpDeps): TaskHandler => ({
  type: 'create_reserved_fixed_ip',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { subject, id } = run.task;
    const provider = providerFor(run, deps);
    const waiting = waitFor(await provider.changeAddress(run.operation));
    if (waiting) return waiting;
    const row = await readHeld(run.db, subject, id);
    if (row) await giveAddresses(run.db, row, provider);
    return done({ ports: [subject] }, (tx) => releaseReservedIps(tx, id));
  },
  undo: async (run) => forget(run),
});

/** Deletes a reserved fixed IP; when that fails, it is as it was. */
export const deleteReservedIpTask = (deps: ReservedIpDeps): TaskHandler => ({
  type: 'delete_reserved_fixed_ip',
  deadlineMs: DEADLINE_MS,
  run: async (run) => waitFor(await providerFor(run, deps).changeAddress(run.operation)) ?? forget(run),
  undo: async ({ task }) => done({}, (tx) => releaseReservedIps(tx, task.id)),
});

/** An address that is still to be given. */
interface Requested {
  readonly column: AddressColumn;
  readonly subnetId: string;
  readonly space: string;
}

function requestedOf(row: ReservedIpRow): Requested[] {
  const { subnet_id: subnetId, space, additional_subnet_id: secondId, additional_space: secondSpace } = row;
  const first: Requested = { column: 'ip_address', subnetId, space };
  const second =
    secondId === null || secondSpace === null
      ? []
      : [{ column: 'additional_address' as const, subnetId: secondId, space: secondSpace }];
  return [first, ...second].filter(({ column }) => row[column] === null);
}

/** @throws TaskFailed when there is no free one */
async function giveAddresses(db: Db, row: ReservedIpRow, provider: AddressProvider): Promise<void> {
  for (const requested of requestedOf(row)) await giveAddress(db, row, requested, provider);
}

async function giveAddress(
  db: Db,
  row: ReservedIpRow,
  { column, subnetId, space }: Requested,
  provider: AddressProvider,
): Promise<void> {
  const source = await readSource(db, subnetId);
  // The region's own addresses of IPv4 are wherever the provider has them.
  const within = source?.external && !source.cidr.includes(':') ? undefined : source;
  const unbound = within && !within.external && (provider.subnetFault?.(within.cidr) ?? null) !== null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const inUse = await readAddressesInUse(db, row.region_id, space);
    const address = unbound
      ? firstFreeHost(within, inUse)
      : await provider.allocateAddress(inUse, row.port_id, within);
    if (address === undefined) throw new TaskFailed(`Subnet ${within?.cidr} has no free address`);
    if ((await storeReservedAddress[column](db, row.port_id, address)) !== undefined) return;
  }
  throw new TaskFailed('No free address was found');
}

function forget({ task }: TaskRun) {
  return done({}, async (tx) => {
    const external = await deleteReservedIp(tx, task.subject, task.id);
    if (external) await release(tx, task, { external_ip_count: external });
  });
}

const providerFor = providerOfTask('addresses to reserve');
