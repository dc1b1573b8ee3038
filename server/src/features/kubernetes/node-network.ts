import { Invalid, NotFound, TaskFailed } from '../../kernel/errors.ts';
import { hostsOf, parseRange } from '../../kernel/ip.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAddresses } from '../networking/addresses/index.ts';
import { findSubnet, readAddressesInUse, readSource } from '../networking/networks/index.ts';
import type { ClusterRow } from './model.ts';

/** Where nodes get their addresses: from the subnet that the cluster was given, or, without one, from a network
 *  that the cluster has to itself. */

export interface NodeNetwork {
  readonly name: string;
  /** Null: the cluster's own. */
  readonly subnetId: string | null;
  /** An address that nothing has, different with every call.
   *  @throws TaskFailed when there is none */
  nextAddress(serial: number): string;
}

export interface FixedNetwork {
  readonly projectId: number;
  readonly regionId: number;
  readonly networkId: string | undefined;
  readonly subnetId: string | undefined;
}

/** The network and subnet that a cluster is to lie in, kept from deletion until the transaction ends.
 *  @throws Invalid naming the field that names none, Conflict when a task holds it */
export async function findFixedNetwork(tx: Tx, requested: FixedNetwork) {
  const field = requested.subnetId === undefined ? 'fixed_network' : 'fixed_subnet';
  try {
    const { network, subnetId } = await findSubnet(tx, { ...requested, version: 4 }, field);
    if (network.external)
      throw new Invalid({ fixed_network: ['is the network of the region; name one of the project'] });
    return { network_id: network.id, subnet_id: subnetId, fixed_subnet_id: subnetId };
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const missing = error.message.startsWith('Network') ? 'fixed_network' : field;
    throw new Invalid({ [missing]: [`is not usable in this project and region: ${error.message}`] });
  }
}

/** @param used addresses of the cluster's nodes */
export async function nodeNetwork(
  tx: Tx,
  cluster: ClusterRow,
  used: ReadonlySet<string>,
): Promise<NodeNetwork> {
  return cluster.fixed_subnet_id === null
    ? ownNetwork(cluster, new Set(used))
    : givenNetwork(tx, cluster, cluster.fixed_subnet_id);
}

function ownNetwork(cluster: ClusterRow, used: Set<string>): NodeNetwork {
  return {
    name: `k8s-${cluster.name}`,
    subnetId: null,
    nextAddress(serial) {
      let host = serial;
      while (!isHost(host) || used.has(addressOf(host))) host += 1;
      used.add(addressOf(host));
      return addressOf(host);
    },
  };
}

/** Neither the first nor the last address of its /24. */
const isHost = (serial: number) => (serial & 255) > 0 && (serial & 255) < 255;
/** Hosts of 192.168.0.0/16, over and over. */
const addressOf = (serial: number) => `192.168.${(serial >> 8) & 255}.${serial & 255}`;

async function givenNetwork(tx: Tx, cluster: ClusterRow, subnetId: string): Promise<NodeNetwork> {
  const { project_id: projectId, region_id: regionId, network_id: networkId } = cluster;
  const { network, cidr } = await findSubnet(
    tx,
    { projectId, regionId, networkId, subnetId },
    'fixed_subnet',
  );
  // What is free below stays free until the nodes have it.
  await lockAddresses(tx, regionId, [network.id]);
  const source = await readSource(tx, subnetId);
  const inUse = new Set(await readAddressesInUse(tx, regionId, networkId));
  if (source?.gateway) inUse.add(source.gateway);
  const range = parseRange(cidr);
  const hosts = range ? hostsOf(range) : [].values();
  return {
    name: network.name,
    subnetId,
    nextAddress() {
      for (let next = hosts.next(); !next.done; next = hosts.next()) {
        if (!inUse.has(next.value)) return next.value;
      }
      throw new TaskFailed(`Subnet ${subnetId} has no address left for a node`);
    },
  };
}
