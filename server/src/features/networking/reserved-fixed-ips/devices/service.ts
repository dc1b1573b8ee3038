import { Conflict } from '../../../../kernel/errors.ts';
import { Faults } from '../../../../kernel/faults.ts';
import { recordAudit } from '../../../../platform/audit/audit.ts';
import { requireFree } from '../../../../platform/database/held-table.ts';
import type { RegionContext } from '../../../../platform/http/context.ts';
import { readNetworks, readSubnetViews, viewNetwork } from '../../networks/index.ts';
import { allowAddress, disallowAddress, lockPorts, MOST_PAIRS, type PortRow } from '../../ports/index.ts';
import { type ReservedIpRow, requireUnused } from '../model.ts';
import * as reserved from '../store.ts';
import type { ConnectDevices } from './schema.ts';
import { type DeviceRow, readDevices } from './store.ts';

/** Which instances share the address of a reserved fixed IP: it is one of the allowed address pairs of their ports.
 *  Load balancers have their addresses to themselves. */
export class DeviceService {
  /** Ports that could share it and do not.
   *  @throws NotFound */
  async available(ctx: RegionContext, id: string) {
    return this.#list(ctx, id, (row) => !row.connected);
  }

  /** @throws NotFound */
  async connected(ctx: RegionContext, id: string) {
    return this.#list(ctx, id, (row) => row.connected);
  }

  /** Lets these ports share it, and no others.
   *  @throws NotFound, Invalid naming every port at fault, Conflict when it is not to be shared, something has it for
   *  itself, or a task holds it or one of the ports */
  async replace(ctx: RegionContext, id: string, { port_ids = [] }: ConnectDevices) {
    return this.#connect(ctx, id, port_ids, (row) => !port_ids.includes(row.id));
  }

  /** Lets these ports share it too.
   *  @throws as `replace` */
  async add(ctx: RegionContext, id: string, { port_ids = [] }: ConnectDevices) {
    return this.#connect(ctx, id, port_ids, () => false);
  }

  async #connect(
    ctx: RegionContext,
    id: string,
    requested: readonly string[],
    leaves: (row: DeviceRow) => boolean,
  ) {
    await ctx.db.transaction(async (tx) => {
      const row = await reserved.lockFreeReservedIp(tx, id, ctx.scope);
      const address = shareable(row);
      const connected = (await readDevices(tx, row)).filter((device) => device.connected);
      const disconnected = connected.filter(leaves).map((device) => device.id);
      const ports = await lockPorts(tx, ctx.scope, [...new Set([...requested, ...disconnected])]);
      for (const port of ports) {
        requireFree('Port', port);
      }
      const has = new Set(connected.map((device) => device.id));
      refuseUnfit(row, requested, new Map(ports.map((port) => [port.id, port])), has);
      await disallowAddress(tx, { ids: disconnected, address, timestamp: ctx.clock.timestamp() });
      const added = [...new Set(requested)].filter((portId) => !has.has(portId));
      await allowAddress(tx, { ids: added, address, timestamp: ctx.clock.timestamp() });
      await recordAudit(tx, ctx, { action: 'connect_reserved_fixed_ip', subject: id, ...ctx.scope });
    });
    return this.connected(ctx, id);
  }

  async #list(ctx: RegionContext, id: string, matches: (row: DeviceRow) => boolean) {
    const row = await reserved.readReservedIp(ctx.db, id, ctx.scope);
    const results = await viewsOf(ctx, (await readDevices(ctx.db, row)).filter(matches));
    return { count: results.length, results };
  }
}

/** The address, if it is there to be shared. */
function shareable(row: ReservedIpRow): string {
  requireUnused(row);
  if (!row.is_vip) {
    throw new Conflict(`Reserved fixed IP ${row.port_id} cannot be shared until it has is_vip: true`);
  }
  if (row.ip_address === null) throw new Conflict(`Reserved fixed IP ${row.port_id} has no address`);
  return row.ip_address;
}

/** @throws Invalid naming every requested port that cannot share the address */
function refuseUnfit(
  row: ReservedIpRow,
  requested: readonly string[],
  ports: ReadonlyMap<string, PortRow>,
  connected: ReadonlySet<string>,
): void {
  const faults = new Faults();
  requested.forEach((id, index) => {
    const port = ports.get(id);
    if (!port || connected.has(id)) return;
    const fault = faultOf(row, port);
    if (fault !== undefined) faults.add(`port_ids.${index}`, fault);
  });
  faults.refuse();
}

function faultOf(row: ReservedIpRow, port: PortRow): string | undefined {
  if (port.device_type !== 'instance') return `port ${port.id} is not of an instance`;
  if (!port.ip_assignments.some((one) => one.subnet_id === row.subnet_id)) {
    return `port ${port.id} has no address in subnet ${row.subnet_id}`;
  }
  if (!port.port_security_enabled) {
    return `port ${port.id} has port security switched off, so that it may have any address already`;
  }
  if (port.allowed_address_pairs.length >= MOST_PAIRS) {
    return `port ${port.id} has ${MOST_PAIRS} allowed address pairs already`;
  }
  return undefined;
}

async function viewsOf(ctx: RegionContext, rows: readonly DeviceRow[]) {
  const [networks, subnets] = await Promise.all([
    readNetworks(
      ctx.db,
      rows.map((row) => row.network_id),
    ),
    readSubnetViews(
      ctx,
      rows.flatMap((row) => row.ip_assignments.map((one) => one.subnet_id)),
    ),
  ]);
  const shown = new Map(networks.map((network) => [network.id, viewNetwork(network, ctx.region.name)]));
  return rows.flatMap((row) => {
    const network = shown.get(row.network_id);
    if (!network) return [];
    const ip_assignments = row.ip_assignments.flatMap(({ ip_address, subnet_id }) => {
      const subnet = subnets.get(subnet_id);
      return subnet ? [{ ip_address, subnet_id, subnet }] : [];
    });
    const { instance_id, instance_name } = row;
    return [{ port_id: row.id, instance_id, instance_name, ip_assignments, network }];
  });
}
