import { NotOffered } from '../../../kernel/errors.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { requireProvider } from '../../../platform/tasks/providers.ts';
import { startFor, type TaskRef } from '../../../platform/tasks/start.ts';
import { guardProject } from '../../projects/index.ts';
import { reserve } from '../../quotas/index.ts';
import type { AddressProvider } from '../addresses/index.ts';
import { type ConvertedAddress, offerFloatingIp } from '../floating-ips/index.ts';
import { findSubnet } from '../networks/index.ts';
import { offerReservedIp } from '../reserved-fixed-ips/index.ts';

export interface ConversionDeps {
  providerOf(regionId: number): AddressProvider | undefined;
}

/** What a task knows of the address that it converts. */
export interface Conversion extends ConvertedAddress {
  /** Id of the floating IP or port that it becomes. */
  readonly becomes: string;
}

/** Where a floating IP lies that becomes a reserved fixed IP. */
export interface ToReserved extends Conversion {
  readonly networkId: string;
  readonly subnetId: string;
}

/** Floating IPs become external reserved fixed IPs, and the other way round; their addresses stay what they are. */
export class ConversionService {
  readonly #deps: ConversionDeps;

  constructor(deps: ConversionDeps) {
    this.#deps = deps;
  }

  /** @throws NotFound, Conflict when it leads to a port or a task holds it, Forbidden, QuotaExceeded */
  async floatingToReserved(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    const [taskId, becomes] = [ctx.ids.uuid(), ctx.ids.uuid()];
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      const offered = await offerFloatingIp(tx, { ...ctx.scope, id }, taskId);
      const scope = await findSubnet(tx, { ...ctx.scope, containing: offered.address }, 'floating_ip_id');
      const { network, subnetId } = scope;
      const input: ToReserved = { ...offered, becomes, networkId: network.id, subnetId };
      const task = await startFor(tx, ctx, 'convert_fip', { id }, { id: taskId, input: { ...input } });
      await reserve(tx, ctx.quota, { external_ip_count: 1 });
      return task;
    });
  }

  /** @throws NotFound, Conflict when it is not external or IPv4, something has it, or a task holds it, Forbidden,
   *  QuotaExceeded */
  async reservedToFloating(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    const [taskId, becomes] = [ctx.ids.uuid(), ctx.ids.uuid()];
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      const input = { ...(await offerReservedIp(tx, { ...ctx.scope, id }, taskId)), becomes };
      const task = await startFor(tx, ctx, 'convert_reserved_fixed_ip', { id }, { id: taskId, input });
      await reserve(tx, ctx.quota, { floating_count: 1 });
      return task;
    });
  }

  #require(ctx: RegionContext): void {
    const { conversionFault } = requireProvider(this.#deps, ctx.region, 'addresses to give');
    if (conversionFault !== undefined) throw new NotOffered(conversionFault);
  }
}
