import { createHash } from 'node:crypto';
import type {
  KubernetesProvider,
  NodeCondition,
  ObservedNode,
  SimulationSignals,
} from '../../features/kubernetes/port.ts';
import { READY } from '../../kernel/operation.ts';
import { seededFraction } from '../../kernel/random.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_k8s_cluster_v2: [240, 600],
  upgrade_k8s_cluster: [120, 240],
  update_k8s_cluster_v2: [10, 30],
  delete_k8s_cluster_v2: [30, 90],
  create_k8s_node: [60, 180],
  delete_k8s_node: [10, 30],
};
const CHANGE: Range = [5, 15];
/** Seconds for which a node that the seed lets fail is well. */
const HEALTHY: Range = [600, 3600];
const GRACE_SECONDS = 300;
/** Faults of nodes that were ready, and what they turn into. */
const FAILURES = [
  ['k8s_node_gone', 'Gone'],
  ['k8s_node_not_ready', 'NotReady'],
] as const;

/** Networks that are set apart for documents (RFC 5737): they lead nowhere, wherever this runs. */
const DOCUMENTATION = ['192.0.2', '198.51.100', '203.0.113'];

const NO_SIGNALS: SimulationSignals = {
  nodeConditions: async () => new Map(),
  neededNodes: async () => new Map(),
};

/** Simulated Kubernetes: real timing, real certificates, no machines. Keeps nothing in memory. Nodes fail when
 *  an operator says so, or at the rates of the faults `k8s_node_gone` and `k8s_node_not_ready`. */
export function simulatedKubernetes(
  options: SimulationOptions,
  signals: SimulationSignals = NO_SIGNALS,
): KubernetesProvider {
  const timed = (operation: Parameters<typeof progressOf>[0]) =>
    progressOf(operation, DURATIONS[operation.type] ?? CHANGE, options);
  return {
    apiAddress: (clusterId) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([options.seed, clusterId]))
        .digest();
      return `${DOCUMENTATION[digest.readUInt8(0) % 3]}.${1 + (digest.readUInt8(1) % 254)}`;
    },
    // 198.18.0.0/15 is set apart for benchmarks: it leads nowhere.
    publicAddress: (number) => {
      const host = 1 + (number % 131_070);
      return `198.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
    },
    applyControlPlane: async (_desired, operation) => timed(operation),
    // Any other task that removes is undoing what it did.
    removeControlPlane: async (_id, operation) =>
      operation.type === 'delete_k8s_cluster_v2' ? timed(operation) : READY,
    applyNode: async (_desired, operation) => timed(operation),
    removeNode: async (_node, operation) => timed(operation),
    acceptsSignals: true,
    unreadyGraceMs: GRACE_SECONDS * 1000 * options.timeScale,
    async observeNodes(nodes) {
      const known = await signals.nodeConditions(nodes.map(({ id }) => id));
      return new Map(nodes.map((node) => [node.id, known.get(node.id) ?? seededCondition(node, options)]));
    },
    neededNodes: (pools) => signals.neededNodes(pools.map(({ id }) => id)),
  };
}

/** A node that the seed lets fail does so after a time that the seed knows too, and never comes back. */
function seededCondition({ name, since }: ObservedNode, options: SimulationOptions): NodeCondition {
  const { seed, conditions, timeScale, now } = options;
  for (const [fault, condition] of FAILURES) {
    if (seededFraction(seed, 'fault', fault, name) >= (conditions[fault] ?? 0)) continue;
    const [shortest, longest] = HEALTHY;
    const healthy = shortest + (longest - shortest) * seededFraction(seed, 'duration', fault, name);
    if (now() - since.getTime() >= healthy * 1000 * timeScale) return condition;
  }
  return 'Ready';
}
