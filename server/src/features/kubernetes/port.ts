import type { Operation, Progress } from '../../kernel/operation.ts';
import type { ClusterSettings } from './model.ts';

/** What a region's provider must be able to do for managed Kubernetes.
 *
 *  Declarative and repeatable: every call may be made again at any time, also after a crash half-way through.
 *  Which nodes there should be, and in which order they are replaced, is decided by the feature. */
export interface KubernetesProvider {
  /** The address at which the API server of this cluster answers; the same for every call. */
  apiAddress(clusterId: string): string;
  /** An external address for a node, where nodes can have one; `number` is unique among all nodes ever made. */
  publicAddress(number: number): string | null;
  /** The versions that clusters can have there, oldest first. Absent: all of the catalogue. */
  versions?(): readonly string[];
  /** What clusters there cannot have: asking for it is refused. Absent: they can have everything. */
  readonly lacks?: readonly ClusterExtra[];
  /** Brings the control plane to exactly this. Ready when its API server answers in that version.
   *  @throws TaskFailed with a reason for the user */
  applyControlPlane(desired: DesiredControlPlane, operation: Operation): Promise<Progress>;
  /** Forgets the control plane and all that it used; unknown ids are already removed. */
  removeControlPlane(clusterId: string, operation: Operation): Promise<Progress>;
  /** Brings a node up. Ready when Kubernetes counts it as Ready.
   *  @throws TaskFailed with a reason for the user */
  applyNode(desired: DesiredNode, operation: Operation): Promise<Progress>;
  /** Removes a node, and drains it before, unless its whole cluster goes; unknown ids are already removed. */
  removeNode(
    node: { readonly id: string; readonly clusterId: string; readonly drains: boolean },
    operation: Operation,
  ): Promise<Progress>;
  /** How long a node may be not ready before it is given up: a kubelet that restarts comes back by itself. */
  readonly unreadyGraceMs: number;
  /** Ends the programs of these clusters, whatever they hold, and starts those of clusters that were paused and are
   *  not among them. Absent: there are none. */
  pause?(clusterIds: readonly string[]): Promise<void>;
  /** How nodes are that have been ready once. Those that are left out are not known at present (their API
   *  server does not answer, say) and are left alone. */
  observeNodes(nodes: readonly ObservedNode[]): Promise<ReadonlyMap<string, NodeCondition>>;
  /** How many nodes the pods of these pools need, by id of the pool. Of those left out nothing is known. */
  neededNodes(pools: readonly PoolToScale[]): Promise<ReadonlyMap<string, number>>;
  /** Services of a cluster that need a load balancer, or have one; undefined: not known at present. Absent: no pods run
   *  there, and none is made. */
  services?(clusterId: string): Promise<ClusterServices | undefined>;
  /** Tells a service what became of it; what is left out stays. */
  reportService?(clusterId: string, service: ClusterService, state: ServiceState): Promise<void>;
  /** Whether an operator may say how nodes and pools are: true where they are simulated. */
  readonly acceptsSignals: boolean;
}

/** Parts of a cluster's settings that not every engine has. */
export type ClusterExtra = 'cilium' | 'ddos' | 'ipv6' | 'logging' | 'nfs' | 'slurm';

/** A pool whose size follows its pods. */
export interface PoolToScale {
  readonly id: string;
  readonly clusterId: string;
  /** Names of its nodes, oldest first: the newest ones go first. */
  readonly nodes: readonly string[];
  /** Of each node. */
  readonly vcpus: number;
  readonly memoryMib: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Key to `value:Effect`. */
  readonly taints: Readonly<Record<string, string>>;
  /** How long nodes have to be without pods before the pool shrinks. */
  readonly unneededMs: number;
}

export interface ClusterServices {
  readonly services: readonly ClusterService[];
  readonly nodes: readonly ServiceNode[];
}

/** A service of Kubernetes, as far as its load balancer is concerned. */
export interface ClusterService {
  /** Its `uid`. */
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  /** False: it is being deleted, or is of another type by now. */
  readonly needsLoadBalancer: boolean;
  /** It stays until its load balancer is gone. */
  readonly isHeld: boolean;
  /** The address that it shows. */
  readonly address: string | null;
  readonly ports: readonly {
    readonly protocol: 'TCP' | 'UDP';
    readonly port: number;
    /** On every node. */
    readonly nodePort: number;
  }[];
  /** Networks that may connect; none: all. */
  readonly sourceRanges: readonly string[];
  readonly staysWithClient: boolean;
  /** Where nodes say whether they have pods of it; null: all of them take its traffic. */
  readonly healthPort: number | null;
}

export interface ServiceNode {
  /** At which this machine reaches it. */
  readonly address: string;
  readonly isReady: boolean;
  /** It takes no new pods. */
  readonly isLeaving: boolean;
}

export interface ServiceState {
  readonly address?: string | null;
  readonly isHeld?: boolean;
  /** What is wrong, for its owner. */
  readonly event?: string;
}

export const NODE_CONDITIONS = ['Ready', 'NotReady', 'Gone'] as const;
/** What Kubernetes says of a node. `Gone`: the machine or its entry in the cluster is no longer there. */
export type NodeCondition = (typeof NODE_CONDITIONS)[number];

export interface ObservedNode {
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
  /** When it got into the state in which it is. */
  readonly since: Date;
}

/** What operators have said about simulated nodes and pools. */
export interface SimulationSignals {
  nodeConditions(ids: readonly string[]): Promise<ReadonlyMap<string, NodeCondition>>;
  neededNodes(poolIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface DesiredControlPlane {
  readonly id: string;
  readonly name: string;
  /** For example `v1.33.4`. */
  readonly version: string;
  readonly apiAddress: string;
  /** PEM. */
  readonly caCertificate: string;
  /** PKCS #8, PEM. */
  readonly caKey: string;
  readonly settings: ClusterSettings;
}

export interface DesiredNode {
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
  readonly version: string;
  readonly flavorId: string;
  readonly vcpus: number;
  readonly memoryMib: number;
  /** GiB. */
  readonly bootVolumeSize: number;
  readonly bootVolumeType: string;
  readonly privateAddress: string;
  /** One line in OpenSSH form. */
  readonly sshPublicKey: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Key to `value:Effect`. */
  readonly taints: Readonly<Record<string, string>>;
}
