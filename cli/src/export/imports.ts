import { type Item, idIn } from '../names.ts';

/** Which resource of the infrastructure tool (`gcore`, 0.x) a thing of a list is, and what it is imported by. */

export interface Scope {
  readonly project: number;
  /** Undefined: of the project or the account. */
  readonly region?: number;
}

interface Import {
  readonly type: string;
  /** Default: its id. */
  readonly id?: (item: Item) => unknown;
  /** What has none. */
  readonly skip?: (item: Item) => boolean;
}

const isRegions = ({ external }: Item): boolean => external === true;
const named: Pick<Import, 'id'> = { id: ({ name }) => name };

/** By the operation that lists them. Keys and response pages cannot be imported; storages of the tool's line 0.x are those of
 *  the first version. */
const IMPORTS: Readonly<Record<string, Import>> = {
  listNetworks: { type: 'gcore_network', skip: isRegions },
  listSubnets: { type: 'gcore_subnet' },
  listRouters: { type: 'gcore_router' },
  // Each project has one by this name from the beginning.
  listSecurityGroups: { type: 'gcore_securitygroup', skip: ({ name }) => name === 'default' },
  listServerGroups: { type: 'gcore_servergroup', id: ({ servergroup_id }) => servergroup_id },
  listReservedFixedIps: { type: 'gcore_reservedfixedip', id: ({ port_id }) => port_id },
  listFloatingIps: { type: 'gcore_floatingip' },
  listSecrets: { type: 'gcore_secret' },
  listVolumes: { type: 'gcore_volume' },
  listSnapshots: { type: 'gcore_snapshot' },
  listLifecyclePolicies: { type: 'gcore_lifecyclepolicy' },
  listInstances: { type: 'gcore_instancev2' },
  listLoadBalancers: { type: 'gcore_loadbalancerv2' },
  listListeners: { type: 'gcore_lblistener', id: (item) => `${idIn(item)}:${item.load_balancer_id}` },
  listPools: { type: 'gcore_lbpool' },
  listClusters: { type: 'gcore_k8sv2', ...named },
  listPostgresClusters: { type: 'gcore_postgres_cluster', id: ({ cluster_name }) => cluster_name },
  listInferenceSecrets: { type: 'gcore_inference_secret', ...named },
  listInferenceRegistryCredentials: { type: 'gcore_registry_credential', ...named },
};

/** Made by a cluster, which makes it again. */
const isOfCluster = ({ tags_v2 }: Item): boolean =>
  Array.isArray(tags_v2) && tags_v2.some(({ key, read_only }) => read_only && key === 'k8s-cluster');

interface Block {
  readonly type: string;
  readonly name: string;
  readonly id: string;
}

/** Import blocks, each with a name of its own. */
export class ImportBlocks {
  readonly #blocks: Block[] = [];
  readonly #names = new Set<string>();

  add(list: string, { project, region }: Scope, item: Item): void {
    const known = IMPORTS[list];
    if (!known || known.skip?.(item) || isOfCluster(item)) return;
    const own = (known.id ?? idIn)(item);
    const scope = [project, ...(region === undefined ? [] : [region])];
    this.#push(known.type, item, `${scope.join(':')}:${own}`);
    // Members stand in their pool.
    if (list !== 'listPools' || !Array.isArray(item.members)) return;
    for (const member of item.members)
      this.#push(
        'gcore_lbmember',
        { name: `${item.name}_${member.address}` },
        `${scope.join(':')}:${member.id}:${idIn(item)}`,
      );
  }

  get text(): string {
    const blocks = this.#blocks.map(
      ({ type, name, id }) => `import {\n  to = ${type}.${name}\n  id = ${JSON.stringify(id)}\n}\n`,
    );
    return [HEAD, ...blocks].join('\n');
  }

  get size(): number {
    return this.#blocks.length;
  }

  #push(type: string, item: Item, id: string): void {
    const text = String(
      item.name ?? item.instance_name ?? item.cluster_name ?? item.floating_ip_address ?? '',
    );
    const words = text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = /^[a-z]/.test(words) ? words : `r_${words}`.replace(/_$/, '');
    let name = base;
    for (let n = 2; this.#names.has(`${type}.${name}`); n++) name = `${base}_${n}`;
    this.#names.add(`${type}.${name}`);
    this.#blocks.push({ type, name, id });
  }
}

const HEAD = `terraform {
  required_providers {
    gcore = { source = "G-Core/gcore" }
  }
}

# The provider reads the address and the token that "virga env" prints.
provider "gcore" {}
`;
