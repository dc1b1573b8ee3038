import { Invalid } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { canonicalAddress } from '../../../kernel/ip.ts';
import { pageOf } from '../../../platform/database/list-page.ts';
import { refuseMore } from '../../../platform/database/refuse-more.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import { holdFloatingIpsOf } from '../../networking/floating-ips/index.ts';
import { lockPortsOf, openPorts, type RequestedInterface } from '../../networking/ports/index.ts';
import { reserve } from '../../quotas/index.ts';
import { deviceOf, type InstanceDeps, requireInstanceProvider } from '../access.ts';
import { startChange } from '../hold.ts';
import { requireChangeable } from '../model.ts';
import { MAX_INTERFACES } from '../schema-create.ts';
import { checkGroups, groupsOfNewPort } from '../security-groups/groups.ts';
import { lockInstance, readInstance } from '../store.ts';
import type { AttachInterface, DetachInterface, InterfaceListQuery } from './schema.ts';
import { viewInterfaces, viewPorts } from './views.ts';

/** What the fields of the body ask for; adds a fault for one that the type needs and that is not there. */
function requestedInterface(input: AttachInterface, faults: Faults): RequestedInterface {
  const { subnet_id = '', network_id = '', port_id = '', ip_family } = input;
  const implied = port_id
    ? 'reserved_fixed_ip'
    : subnet_id
      ? 'subnet'
      : network_id
        ? 'any_subnet'
        : 'external';
  const type = input.type ?? implied;
  const needed = (field: 'subnet_id' | 'network_id' | 'port_id') => {
    if (input[field] === undefined) faults.add(field, `is required for type ${type}`);
  };
  if (type === 'subnet') needed('subnet_id');
  if (type === 'any_subnet') needed('network_id');
  if (type === 'reserved_fixed_ip') needed('port_id');
  if (type === 'subnet') return { type, subnet_id };
  if (type === 'any_subnet') return { type, network_id, ip_family };
  return type === 'external' ? { type, ip_family } : { type, port_id };
}

/** Commands on the interfaces of an instance, one transaction and one task each, and reads. */
export class InterfaceService {
  readonly #deps: InstanceDeps;

  constructor(deps: InstanceDeps) {
    this.#deps = deps;
  }

  /** Opens a port for it, or gives it a reserved fixed IP.
   *  @throws Forbidden for one too many, Invalid, NotFound for it or what the interface names, Conflict when it is in no state for this, an
   *  address is in use or a task holds one of them, QuotaExceeded */
  async attach(ctx: RegionContext, id: string, input: AttachInterface): Promise<TaskRef> {
    requireInstanceProvider(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await lockInstance(tx, id, ctx.scope);
      const faults = new Faults();
      const wish = requestedInterface(input, faults);
      if (input.ddos_profile) faults.add('ddos_profile', 'is for regions with has_ddos');
      const groups = input.security_groups ?? undefined;
      await checkGroups(tx, ctx, { security_groups: groups }, faults);
      faults.refuse();
      requireChangeable(row, 'attach_interface');
      await refuseMore(tx, {
        what: 'interfaces',
        owner: `instance ${id}`,
        limit: MAX_INTERFACES,
        count: async () => (await lockPortsOf(tx, deviceOf(id))).length,
      });
      const requested = {
        interface: wish,
        interfaceName: input.interface_name ?? null,
        securityGroupIds: await groupsOfNewPort(tx, ctx, wish.type, groups),
        field: '',
      };
      const addresses = this.#deps.addressesOf(ctx.region.id);
      const { ports, externalIps } = await openPorts(tx, ctx, deviceOf(id), [requested], addresses);
      const task = await startChange(tx, ctx, row, 'attach_interface', { portId: ports[0]?.id });
      await reserve(tx, ctx.quota, { external_ip_count: externalIps });
      return task;
    });
  }

  /** Closes the port; a reserved fixed IP is only released, and so are floating IPs that lead to the port.
   *  @throws NotFound, Invalid for a port or address that it does not have, Conflict when it is in no state for this
   *  or a task holds something of it */
  async detach(ctx: RegionContext, id: string, input: DetachInterface): Promise<TaskRef> {
    requireInstanceProvider(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await lockInstance(tx, id, ctx.scope);
      requireChangeable(row, 'detach_interface');
      const ports = await lockPortsOf(tx, deviceOf(id));
      const port = ports.find((each) => each.id === input.port_id.toLowerCase());
      if (!port) throw new Invalid({ port_id: ['is no port of this instance'] });
      const address = canonicalAddress(input.ip_address);
      if (!port.ip_assignments.some(({ ip_address }) => ip_address === address)) {
        throw new Invalid({ ip_address: [`is not an address of port ${port.id}`] });
      }
      return startChange(tx, ctx, row, 'detach_interface', async (taskId) => {
        await holdFloatingIpsOf(tx, [port.id], taskId);
        return { portId: port.id };
      });
    });
  }

  /** @throws NotFound */
  async list(ctx: RegionContext, id: string, query: InterfaceListQuery) {
    await readInstance(ctx.db, id, ctx.scope);
    return pageOf(await viewInterfaces(ctx, id), query, (view) => view);
  }

  /** @throws NotFound */
  async ports(ctx: RegionContext, id: string) {
    await readInstance(ctx.db, id, ctx.scope);
    const results = await viewPorts(ctx, id);
    return { count: results.length, results };
  }
}
