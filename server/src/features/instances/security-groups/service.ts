import { Faults } from '../../../kernel/faults.ts';
import { recordAudit } from '../../../platform/audit/audit.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { lockPortsOf, type PortRow, readPortsOf, setSecurityGroups } from '../../networking/ports/index.ts';
import { findSecurityGroupsNamed, namesOfSecurityGroups } from '../../security-groups/index.ts';
import { deviceOf } from '../access.ts';
import { requireOwn } from '../model.ts';
import { lockInstance, readInstance } from '../store.ts';
import type { PortGroups } from './schema.ts';

/** What is to be added to a port, or removed from it: groups by the fields that name them. */
interface Wish {
  readonly field: string;
  readonly name: string;
  /** null: every port. */
  readonly portId: string | null;
}

type GroupsByName = ReadonlyMap<string, readonly string[]>;

/** Adds groups to ports, at once; those that have them already keep them.
 *  @throws NotFound, Invalid naming every group or port that is not there, Conflict for a node of a cluster or when a
 *  task holds the instance, a port or a group */
export async function addGroups(ctx: RegionContext, id: string, input: PortGroups): Promise<void> {
  await change(ctx, id, input, 'add_security_group', (faults, wish, groups) => {
    const ids = groups.get(wish.name) ?? [];
    if (ids.length > 1) faults.add(wish.field, `${ids.length} security groups are called ${wish.name}`);
    return (had) => [...new Set([...had, ...ids])];
  });
}

/** Removes groups from ports, at once.
 *  @throws the same, and Invalid for a group that none of these ports has */
export async function removeGroups(ctx: RegionContext, id: string, input: PortGroups): Promise<void> {
  await change(ctx, id, input, 'remove_security_group', (faults, wish, groups, ports) => {
    const ids = new Set(groups.get(wish.name));
    const had = ports.some((port) => port.security_group_ids.some((one) => ids.has(one)));
    if (!had) faults.add(wish.field, `security group ${wish.name} was not found`);
    return (now) => now.filter((one) => !ids.has(one));
  });
}

/** The groups that filter one of its ports, by name.
 *  @throws NotFound */
export async function listGroups(ctx: RegionContext, id: string) {
  await readInstance(ctx.db, id, ctx.scope);
  const ports = await readPortsOf(ctx.db, 'instance', [id]);
  const results = await namesOfSecurityGroups(
    ctx.db,
    ports.flatMap((port) => port.security_group_ids),
  );
  return { count: results.length, results };
}

type Planner = (
  faults: Faults,
  wish: Wish,
  groups: GroupsByName,
  ports: readonly PortRow[],
) => (had: readonly string[]) => readonly string[];

async function change(
  ctx: RegionContext,
  id: string,
  input: PortGroups,
  action: string,
  plan: Planner,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const row = await lockInstance(tx, id, ctx.scope);
    requireOwn(row);
    const wishes = wishesOf(input);
    const faults = new Faults();
    // Tools name the ports whose last group they have taken away already, with no groups.
    if (input.name === undefined && input.ports_security_group_names === undefined) {
      faults.add('name', 'or ports_security_group_names is required');
    }
    const ports = await lockPortsOf(tx, deviceOf(id));
    const names = [...new Set(wishes.map(({ name }) => name))];
    const groups = await findSecurityGroupsNamed(tx, names, ctx.scope);
    const after = new Map(ports.map((port) => [port.id, port.security_group_ids]));
    for (const wish of wishes) {
      const meant = portsOf(wish, ports, faults);
      if (!groups.has(wish.name)) faults.add(wish.field, `security group ${wish.name} was not found`);
      else if (meant.length > 0) {
        const changed = plan(faults, wish, groups, meant);
        for (const port of meant) after.set(port.id, changed(after.get(port.id) ?? []));
      }
    }
    faults.refuse();
    requireFree('Instance', row);
    for (const [portId, ids] of after) await setSecurityGroups(tx, portId, ids, ctx.clock.timestamp());
    await recordAudit(tx, ctx, { action, subject: id, name: row.name, ...ctx.scope });
  });
}

function wishesOf({ name, ports_security_group_names: some = [] }: PortGroups): Wish[] {
  const all = name === undefined ? [] : [{ field: 'name', name, portId: null }];
  const each = some.flatMap(({ port_id: portId, security_group_names: names }, index) =>
    names.map((one, at) => ({
      field: `ports_security_group_names.${index}.security_group_names.${at}`,
      name: one,
      portId: portId?.toLowerCase() ?? null,
    })),
  );
  return [...all, ...each];
}

function portsOf({ field, portId }: Wish, ports: readonly PortRow[], faults: Faults): readonly PortRow[] {
  if (portId === null) return ports;
  const own = ports.filter((port) => port.id === portId);
  const at = field.replace(/\.security_group_names\.\d+$/, '.port_id');
  if (own.length === 0) faults.add(at, `${portId} is no port of this instance`);
  return own;
}
