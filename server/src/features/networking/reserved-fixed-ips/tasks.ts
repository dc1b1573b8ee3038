import type { Db } from '../../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, type Wait, waitFor } from '../../../platform/tasks/handler.ts';
import { providerOfTask } from '../../../platform/tasks/providers.ts';
import { release } from '../../quotas/index.ts';
import type { AddressProvider } from '../addresses/index.ts';
import { allocateAddress } from '../networks/index.ts';
import { desiredPort, readPorts } from '../ports/index.ts';
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
    return (await applied(run, deps)) ?? done({ ports: [subject] }, (tx) => releaseReservedIps(tx, id));
  },
  async undo(run) {
    const waiting = await removed(run, deps);
    if (waiting) return waiting;
    await releaseOf(run, deps);
    return forget(run);
  },
});

/** Deletes a reserved fixed IP; when that fails, it is as it was. */
export const deleteReservedIpTask = (deps: ReservedIpDeps): TaskHandler => ({
  type: 'delete_reserved_fixed_ip',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const waiting = waitFor(await providerFor(run, deps).changeAddress(run.operation));
    if (waiting) return waiting;
    await releaseOf(run, deps);
    return forget(run);
  },
  undo: async ({ task }) => done({}, (tx) => releaseReservedIps(tx, task.id)),
});

/** The region has the port. */
async function applied(run: TaskRun, { networksOf }: ReservedIpDeps): Promise<Wait | undefined> {
  const { regionId, subject } = run.task;
  const networks = regionId === null ? undefined : networksOf(regionId);
  const [port] = await readPorts(run.db, [subject]);
  return networks && port && waitFor(await networks.apply(desiredPort(port), run.operation));
}

/** The region no longer has the port. */
async function removed(run: TaskRun, { networksOf }: ReservedIpDeps): Promise<Wait | undefined> {
  const { regionId, subject: id } = run.task;
  const networks = regionId === null ? undefined : networksOf(regionId);
  return networks && waitFor(await networks.remove({ kind: 'port', id }, run.operation));
}

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
  const { port_id: id, region_id: regionId } = row;
  for (const { column, ...where } of requestedOf(row)) {
    await allocateAddress(db, provider, {
      id,
      regionId,
      ...where,
      store: (tx, address) => storeReservedAddress[column](tx, id, address),
    });
  }
}

/** Where the region's provider has noted what it gave, it forgets that. */
async function releaseOf({ task }: TaskRun, { providerOf }: ReservedIpDeps) {
  const provider = task.regionId === null ? undefined : providerOf(task.regionId);
  await provider?.releaseAddress?.(task.subject);
}

function forget({ task }: TaskRun) {
  return done({}, async (tx) => {
    const external = await deleteReservedIp(tx, task.subject, task.id);
    if (external) await release(tx, task, { external_ip_count: external });
  });
}

const providerFor = providerOfTask('addresses to reserve');
