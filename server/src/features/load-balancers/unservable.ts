import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type SecretContent, type SecretKind, secretKinds } from '../secrets/index.ts';
import { desiredOf } from './desired.ts';
import { secretIdsOf } from './desired-tls.ts';
import type { LoadBalancerTree } from './model.ts';
import type { NewRows } from './parts/rows.ts';
import type { DesiredLoadBalancer, LoadBalancerProvider, UnservablePart } from './port.ts';
import { readTree } from './tree-store.ts';

/** Where the parts of a body are in it, by their ids: `listeners.0.`. */
export type PartPaths = ReadonlyMap<string, string>;

/** Of a body that creates a load balancer with its parts. */
export function pathsOf({ listener, member }: NewRows['of']): PartPaths {
  const paths = new Map<string, string>();
  for (const [index, row] of listener.entries()) {
    paths.set(row.id, `listeners.${index}.`);
    const pool = String(row.default_pool_id);
    paths.set(pool, `listeners.${index}.pools.0.`);
    for (const [scope, { id }] of member.filter((each) => each.pool_id === pool).entries()) {
      paths.set(id, `listeners.${index}.pools.0.members.${scope}.`);
    }
  }
  return paths;
}

/** Stand for what is in secrets: nothing of it is needed to judge who uses them. */
const PLANNED: Readonly<Record<SecretKind, SecretContent>> = {
  certificate: { certificate: 'x', chain: null, privateKey: 'x', revocations: null },
  authorities: { certificate: 'x', chain: null, privateKey: null, revocations: null },
  revocations: { certificate: null, chain: null, privateKey: null, revocations: 'x' },
};

/** Stands for the address of one that has none yet. */
const noAddress = ({ vip_ip_family: family }: LoadBalancerTree) => (family === 'ipv6' ? '::' : '0.0.0.0');

/** Refuses what the region's provider cannot serve, in the transaction that has written it.
 *  @param paths absent: the body is about one part
 *  @throws Invalid with everything that cannot be served */
export async function refuseUnservable(
  tx: Tx,
  provider: LoadBalancerProvider | undefined,
  id: string,
  paths?: PartPaths,
): Promise<void> {
  if (!provider?.unservable) return;
  const tree = await readTree(tx, id);
  if (!tree) return;
  const faults = provider.unservable(await plannedOf(tx, tree));
  if (faults.length === 0) return;
  const fields: Record<string, string[]> = {};
  for (const fault of faults) {
    const field = `${paths?.get(fault.id) ?? ''}${fault.field}`;
    fields[field] = [
      ...(fields[field] ?? []),
      paths ? fault.reason : `${nameOf(tree, fault)}${fault.reason}`,
    ];
  }
  throw new Invalid(fields);
}

/** Says which part it is where the body is about another one. */
function nameOf(tree: LoadBalancerTree, { kind, id }: UnservablePart): string {
  const names = { listener: tree.listeners, pool: tree.pools, member: [], loadBalancer: [] }[kind];
  const name = names.find((each) => each.id === id)?.name;
  return name === undefined ? '' : `${kind} ${name}: `;
}

/** What it will be asked to serve. */
async function plannedOf(tx: Tx, tree: LoadBalancerTree): Promise<DesiredLoadBalancer> {
  const kinds = await secretKinds(tx, secretIdsOf(tree));
  const secrets = new Map([...kinds].map(([id, kind]) => [id, PLANNED[kind]]));
  return desiredOf(tree, [tree.vip_address ?? noAddress(tree)], secrets);
}
