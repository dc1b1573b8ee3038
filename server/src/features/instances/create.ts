import { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { attachFloatingIp } from '../networking/floating-ips/index.ts';
import {
  openPorts,
  type PortRow,
  type RequestedInterface,
  type RequestedPort,
} from '../networking/ports/index.ts';
import { guardProject } from '../projects/index.ts';
import { type Amounts, reserve } from '../quotas/index.ts';
import { joinServerGroup } from '../server-groups/index.ts';
import { findSshKey, viewerOf } from '../ssh-keys/index.ts';
import { deviceOf, flavorsIn, type InstanceDeps, requireInstanceProvider } from './access.ts';
import { keepFirstBoot } from './first-boot.ts';
import { instanceAmounts } from './model.ts';
import { nameFrom } from './names.ts';
import { planInstance } from './new-instance.ts';
import type { CreateInstance } from './schema-create.ts';
import { checkGroups, groupsOfNewPort } from './security-groups/groups.ts';
import { insertInstance } from './store.ts';

/** Accepts a new instance: it, its ports, floating IPs and volumes are written together, held by the task that
 *  makes them.
 *  @throws Invalid with every fault, NotFound or Conflict for what an interface or volume names, Forbidden,
 *  QuotaExceeded */
export async function createInstance(
  deps: InstanceDeps,
  ctx: RegionContext,
  input: CreateInstance,
): Promise<TaskRef> {
  requireInstanceProvider(deps, ctx);
  const faults = new Faults();
  const { flavor: known, tags } = planInstance(input, faults, flavorsIn(deps, ctx));
  return ctx.db.transaction(async (tx) => {
    await guardProject(tx, ctx.project.id);
    const sshKey = await usableKey(tx, ctx, input.ssh_key_name ?? null, faults);
    await checkGroups(tx, ctx, groupsOf(input), faults);
    const { volumes } = input;
    const disks = await deps.volumes.plan(tx, ctx, { volumes, ram: known?.ram ?? Infinity }, faults);
    const flavor = faults.require(known);
    const [id, taskId] = [ctx.ids.uuid(), ctx.ids.uuid()];
    const requested = await requestedPorts(tx, ctx, input);
    const addresses = deps.addressesOf(ctx.region.id);
    const { ports, externalIps } = await openPorts(tx, ctx, deviceOf(id), requested, addresses);
    const name = nameOf(input, id, ports);
    await insertInstance(tx, {
      id,
      ...ctx.scope,
      clientId: ctx.project.clientId,
      name,
      flavor,
      sshKeyName: sshKey?.name ?? null,
      tags,
      taskId,
      timestamp: ctx.clock.timestamp(),
    });
    await joinGroup(tx, ctx, id, input.servergroup_id);
    await keepFirstBoot(tx, deps.cipher, id, {
      hostname: name,
      sshPublicKey: sshKey?.public_key ?? null,
      userData: input.password === undefined ? (input.user_data ?? null) : null,
      username: input.username ?? null,
      password: input.password ?? null,
    });
    const floating = await attachFloatingIps(deps, tx, ctx, input, ports, taskId);
    const volumeAmounts = await deps.volumes.hold(tx, ctx, disks, { instanceId: id, taskId });
    const task = await startFor(tx, ctx, 'create_vm', { id, name }, { id: taskId });
    const amounts: Amounts = {
      ...instanceAmounts(flavor),
      ...volumeAmounts,
      external_ip_count: externalIps,
      floating_count: floating,
    };
    await reserve(tx, ctx.quota, amounts);
    return task;
  });
}

function nameOf(input: CreateInstance, id: string, ports: readonly PortRow[]): string {
  const { name = input.names?.[0], name_template } = input;
  if (name !== undefined) return name;
  if (name_template === undefined) return `instance-${id.slice(0, 8)}`;
  return nameFrom(name_template, ports[0]?.ip_assignments[0]?.ip_address ?? '');
}

async function usableKey(tx: Tx, ctx: RegionContext, name: string | null, faults: Faults) {
  if (name === null) return undefined;
  const key = await findSshKey(tx, name, viewerOf(ctx));
  if (!key)
    faults.add('ssh_key_name', `SSH key ${name} was not found among those that you may use in this project`);
  return key;
}

/** The security groups that a body names, by the fields that name them. */
function groupsOf({ security_groups, interfaces }: CreateInstance) {
  const named = interfaces.map((each, at) => [`interfaces.${at}.security_groups`, each.security_groups]);
  return { security_groups, ...Object.fromEntries(named) };
}

async function requestedPorts(tx: Tx, ctx: RegionContext, input: CreateInstance): Promise<RequestedPort[]> {
  const requested: RequestedPort[] = [];
  for (const [index, each] of input.interfaces.entries()) {
    const groups = each.security_groups ?? input.security_groups;
    requested.push({
      interface: each as RequestedInterface,
      interfaceName: each.interface_name ?? null,
      securityGroupIds: await groupsOfNewPort(tx, ctx, each.type, groups),
      field: `interfaces.${index}`,
    });
  }
  return requested;
}

async function joinGroup(tx: Tx, ctx: RegionContext, instanceId: string, groupId?: string): Promise<void> {
  if (groupId === undefined) return;
  const timestamp = ctx.clock.timestamp();
  await joinServerGroup(tx, { ...ctx.scope, groupId, instanceId, timestamp });
}

/** @returns how many are new */
async function attachFloatingIps(
  deps: InstanceDeps,
  tx: Tx,
  ctx: RegionContext,
  { interfaces }: CreateInstance,
  ports: readonly PortRow[],
  taskId: string,
): Promise<number> {
  let count = 0;
  for (const [index, { floating_ip: assignment }] of interfaces.entries()) {
    const portId = ports[index]?.id;
    if (!assignment || portId === undefined) continue;
    const provider = deps.addressesOf(ctx.region.id);
    count += await attachFloatingIp(tx, ctx, provider, {
      to: { portId, address: null },
      taskId,
      assignment,
    });
  }
  return count;
}
