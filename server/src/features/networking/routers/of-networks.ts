import { Conflict } from '../../../kernel/errors.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import { type AddressProvider, moveAddress } from '../addresses/index.ts';
import type { NetworkRouters } from '../networks/index.ts';
import { closePorts } from '../ports/index.ts';
import { applyHeld, applyIn, desiredRouter } from './apply.ts';
import { attachSubnet, openGateway, refuseRouted } from './interfaces.ts';
import * as store from './store.ts';
import { removeRouter } from './tasks.ts';

/** Routers as networks and subnets need them: a network may come with a router of its own, which joins its subnets
 *  with each other and the region's own network. */
export function routersOfNetworks(
  addressesOf: (regionId: number) => AddressProvider | undefined,
): NetworkRouters {
  return {
    async addTo(tx, ctx, network, taskId) {
      const [id, timestamp] = [ctx.ids.uuid(), ctx.clock.timestamp()];
      const { id: projectId, clientId } = ctx.project;
      const subnet = { projectId, regionId: ctx.region.id, clientId };
      const { name, id: networkId } = network;
      await store.insertRouter(tx, { id, ...subnet, name, networkId, enableSnat: true, taskId, timestamp });
      await store.setGateway(tx, id, await openGateway(tx, ctx, id, addressesOf(ctx.region.id)));
    },
    apply: applyHeld,
    applyIn,
    attachedTo: async (db, subnetId) => (await store.readRoutersIn(db, subnetId)).map(({ id }) => id),
    desired: async (db, ids) => (await store.readRouters(db, ids)).map(desiredRouter),
    heldBy: async (db, taskId) => (await store.readAllHeld(db, taskId)).map(({ id }) => id),
    settle: (tx, taskId) => store.releaseRouters(tx, taskId),
    async hold(tx, networkId, taskId) {
      const router = await store.lockRouterOf(tx, networkId);
      if (!router) return;
      requireFree('Router', router);
      const others = router.interfaces.filter((one) => one.network_id !== networkId);
      if (others.length > 0) {
        const subnets = others.map((one) => one.subnet_id).join(', ');
        throw new Conflict(
          `Router ${router.id} of network ${networkId} joins subnets of other networks (${subnets}); detach them first`,
        );
      }
      await store.holdRouter(tx, router.id, taskId);
    },
    async drop(tx, networkId, taskId, timestamp) {
      const router = await store.lockRouterOf(tx, networkId);
      return router !== undefined && (await removeRouter(tx, router.id, taskId, timestamp)) ? 1 : 0;
    },
    async connect(tx, ctx, subnet, routerId) {
      const scope = ctx.scope;
      const router =
        routerId === undefined
          ? await store.lockRouterOf(tx, subnet.network.id)
          : await store.lockRouter(tx, routerId, scope);
      if (!router) return;
      requireFree('Router', router);
      await attachSubnet(
        tx,
        ctx,
        router,
        { subnet, field: 'router_id_to_connect' },
        addressesOf(ctx.region.id),
      );
    },
    async follow(tx, subnetId, { from, to, timestamp }) {
      const portId = await store.ownPortAt(tx, subnetId, from);
      if (portId === undefined) return;
      if (to === null) await closePorts(tx, [portId], timestamp);
      else await moveAddress(tx, portId, from, to);
    },
    async refuseRouted(tx, subnetId) {
      for (const router of await store.routersIn(tx, subnetId)) refuseRouted(router, subnetId);
    },
    async disconnect(tx, subnetId, timestamp) {
      await closePorts(tx, await store.portsIn(tx, subnetId), timestamp);
    },
  };
}
