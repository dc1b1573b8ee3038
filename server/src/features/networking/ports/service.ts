import type { TSchema } from '@sinclair/typebox';
import { Conflict, Locked, NotFound } from '../../../kernel/errors.ts';
import type { Queryable, Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import type { RegionContext, Scope } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { requireProvider } from '../../../platform/tasks/providers.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../../platform/tasks/start.ts';
import type { NetworkProvider } from '../networks/index.ts';
import { type Reassigned, reassign } from './assign.ts';
import { sameSettings, settingsAfter } from './change.ts';
import { listPorts } from './list-store.ts';
import { deviceOf, deviceText, type PortRow } from './model.ts';
import type { PortListQuery, UpdatePort } from './schema.ts';
import * as store from './store.ts';
import type { PortChange } from './tasks.ts';
import { viewPort } from './views.ts';

/** Those of these security groups that the project has in the region. Handed in: security groups look at ports
 *  themselves. */
export type FindSecurityGroups = (
  db: Queryable,
  ids: readonly string[],
  scope: Scope,
) => Promise<ReadonlySet<string>>;

export interface PortDeps {
  providerOf(regionId: number): NetworkProvider | undefined;
  readonly findSecurityGroups: FindSecurityGroups;
}

/** Ports as interfaces of instances show them. Handed in: instances look at ports themselves. */
export interface PortsAsInterfaces {
  readonly schema: TSchema;
  view(ctx: RegionContext, port: PortRow): Promise<object>;
}

const UNCHANGED: Reassigned = { newAddresses: [], oldAddresses: [] };

/** Changes of ports, one transaction each, and reads. Ports come and go with what they belong to. */
export class PortService {
  readonly #deps: PortDeps;

  constructor(deps: PortDeps) {
    this.#deps = deps;
  }

  /** Changes it by a task; that of one that changes nothing has ended already.
   *  @throws Invalid naming every faulty field, NotFound for the port or a security group, Conflict when an address
   *  is in use, something else rules over what shall change, or a task holds it */
  async update(ctx: RegionContext, id: string, input: UpdatePort): Promise<TaskRef> {
    requireProvider(this.#deps, ctx.region, 'networks');
    const where = { ...ctx.scope, id };
    return ctx.db.transaction(async (tx) => {
      const held = await store.lockReservation(tx, where);
      const port = await store.lockPort(tx, where.id, where);
      const settings = settingsAfter(port, input);
      refuseManaged(port, input);
      if (held) throw new Locked(`Reserved fixed IP ${id}`, held);
      requireFree('Port', port);
      await this.#requireGroups(tx, ctx, port, settings.security_group_ids);
      const addresses = input.ip_assignments
        ? await reassign(tx, ctx, port, input.ip_assignments)
        : UNCHANGED;
      const { newAddresses, oldAddresses } = addresses;
      await refuseFloating(tx, id, oldAddresses);
      if (newAddresses.length + oldAddresses.length === 0 && sameSettings(port, settings)) {
        return startNothing(tx, ctx, taskFor(ctx, UPDATE, { id }));
      }
      return this.#start(tx, ctx, id, { settings, ...addresses });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewPort(await this.row(ctx, id));
  }

  /** @throws NotFound */
  row(ctx: RegionContext, id: string): Promise<PortRow> {
    return store.readPort(ctx.db, id, ctx.scope);
  }

  async list(ctx: RegionContext, query: PortListQuery) {
    refuseUnstorable(query, 'query');
    const page = await listPorts(ctx.db, {
      ...ctx.scope,
      attached: query.attached,
      ids: query.ids,
      addresses: query.ip_addresses,
      managedBy: query.managed_by,
      networkIds: query.network_ids,
      subnetIds: query.subnet_ids,
      deviceId: query.resource_id,
      deviceType: query.resource_type,
      inTrunk: query.parent_port_id !== undefined,
      order: query.order_by,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, viewPort);
  }

  async #start(tx: Tx, ctx: RegionContext, id: string, change: PortChange): Promise<TaskRef> {
    const taskId = ctx.ids.uuid();
    await store.holdPort(tx, id, taskId);
    return startFor(tx, ctx, UPDATE, { id }, { id: taskId, input: { ...change } });
  }

  /** @throws NotFound for the first security group that is new to the port and not there */
  async #requireGroups(tx: Tx, ctx: RegionContext, port: PortRow, ids: readonly string[]): Promise<void> {
    const added = ids.filter((id) => !port.security_group_ids.includes(id));
    if (added.length === 0) return;
    const found = await this.#deps.findSecurityGroups(tx, added, ctx.scope);
    const missing = added.find((id) => !found.has(id));
    if (missing !== undefined) throw new NotFound(`Security group ${missing} was not found`);
  }
}

const UPDATE = 'update_port';

/** Only tags can be changed of a port that a load balancer or router manages, and a reserved address is fixed. */
function refuseManaged(port: PortRow, input: UpdatePort): void {
  const { tags: _tags, ...others } = input;
  const device = deviceOf(port);
  const [field] = Object.keys(others);
  if (port.managed_by === 'system' && field !== undefined) {
    const owner = device ? deviceText(device) : 'the system';
    throw new Conflict(`Port ${port.id} is managed by ${owner}: only its tags can be changed, not ${field}`);
  }
  if (port.reserved && input.ip_assignments) {
    throw new Conflict(
      `Port ${port.id} is a reserved fixed IP, whose address cannot be changed; reserve another one instead`,
    );
  }
}

async function refuseFloating(tx: Tx, id: string, addresses: readonly string[]): Promise<void> {
  const floating = addresses.length > 0 ? await store.floatingIpOn(tx, id, addresses) : undefined;
  if (!floating) return;
  throw new Conflict(
    `Floating IP ${floating.id} leads to ${floating.address} of port ${id}; unassign or move it first`,
  );
}
