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
  readonly lacks?: readonly (ClusterExtra | PoolExtra)[];
  /** Whether the autoscaler of a cluster follows only the settings of `scaling.ts`. Absent: all are accepted. */
  readonly hasOwnAutoscaler?: boolean;
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
  /** A new cluster has all that its task makes, and its programs serve from here on. Absent: there are none.
   *  @throws TaskFailed where it is not */
  settleCluster?(clusterId: string): Promise<void>;
  /** Looks at all clusters of a region: ends the programs of those that are paused, whatever they hold, and starts those
   *  of clusters that are no longer. Absent: there are none.
   *  @returns of those that do not serve, why */
  observeClusters?(clusters: readonly ObservedCluster[]): Promise<ReadonlyMap<string, string>>;
  /** How nodes are that have been ready once. Those that are left out are not known at present (their API
   *  server does not answer, say) and are left alone. Nodes get the labels and taints that their pools have by now. */
  observeNodes(nodes: readonly ObservedNode[]): Promise<ReadonlyMap<string, NodeCondition>>;
  /** How many nodes the pods of these pools need, by id of the pool. Of those left out nothing is known. */
  neededNodes(pools: readonly PoolToScale[]): Promise<ReadonlyMap<string, number>>;
  /** How the pods of a cluster are; undefined: not known at present. Absent: no pods run there. */
  pods?(clusterId: string): Promise<ClusterPods | undefined>;
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

/** Parts of a pool's settings that not every engine has. */
export type PoolExtra =
  | 'anti_affinity'
  | 'crio_config'
  | 'kubelet_config'
  | 'public_addresses'
  | 'security_groups';

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
  /** Key to `value:Effect`, or to the effect alone. */
  readonly taints: Readonly<Record<string, string>>;
  readonly scaling: PoolScaling;
}

/** How the size of a pool follows its pods. */
export interface PoolScaling {
  /** Whether it ever gets smaller by itself. */
  readonly shrinks: boolean;
  /** How long nodes have to be without pods before it shrinks. */
  readonly unneededMs: number;
  /** How long it does not shrink after it has grown. */
  readonly afterGrowthMs: number;
  /** How long it does not shrink again after it has shrunk. */
  readonly afterShrinkingMs: number;
  /** How old a pod has to be before it makes the pool grow. */
  readonly newPodMs: number;
  /** How often the pods are looked at. */
  readonly lookEveryMs: number;
}

/** How many pods are in which phase. */
export interface PodCounts {
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
}

export interface ClusterPods {
  /** False: there are so many that only some were counted. */
  readonly isComplete: boolean;
  /** By namespace. */
  readonly namespaces: ReadonlyMap<string, PodCounts>;
  /** How many are on each node, by its name; those that have ended do not count. */
  readonly nodes: ReadonlyMap<string, number>;
  /** The first of those that should be ready and are not. */
  readonly unready: readonly UnreadyPod[];
  /** How many there are of these. */
  readonly unreadyCount: number;
}

export interface UnreadyPod {
  readonly namespace: string;
  readonly name: string;
  /** null: it has none yet. */
  readonly node: string | null;
  /** Kubernetes' word for why it is not ready: `CrashLoopBackOff`. */
  readonly reason: string;
  /** What Kubernetes says of it. */
  readonly message: string | null;
  readonly restarts: number;
  /** Since when it is not ready. */
  readonly since: Date;
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

export interface ObservedCluster {
  readonly id: string;
  /** Nothing of it is to run. */
  readonly isPaused: boolean;
  /** The task that creates it has not ended. */
  readonly isNew: boolean;
}

/** The operations by which a cluster is made, and by which a failed change is undone. */
export const CREATE_CLUSTER = 'create_k8s_cluster_v2';
export const RESTORE_CLUSTER = 'restore_k8s_cluster';

export interface ObservedNode {
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
  /** When it got into the state in which it is. */
  readonly since: Date;
  readonly labels: Readonly<Record<string, string>>;
  /** Key to `value:Effect`, or to the effect alone. */
  readonly taints: Readonly<Record<string, string>>;
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
  /** Key to `value:Effect`, or to the effect alone. */
  readonly taints: Readonly<Record<string, string>>;
}
