import { createHash } from 'node:crypto';
import type { KubernetesProvider } from '../../features/kubernetes/port.ts';
import { READY } from '../../kernel/operation.ts';
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

/** Kubernetes on paper: real timing, real certificates, no machines. Keeps nothing in memory. */
export function simulatedKubernetes(options: SimulationOptions): KubernetesProvider {
  const timed = (operation: Parameters<typeof progressOf>[0]) =>
    progressOf(operation, DURATIONS[operation.type] ?? CHANGE, options);
  return {
    apiAddress: (clusterId) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([options.seed, clusterId]))
        .digest();
      return `10.${digest.readUInt8(0)}.${digest.readUInt8(1)}.${1 + (digest.readUInt8(2) % 254)}`;
    },
    // 198.18.0.0/15 is set apart for benchmarks: it leads nowhere.
    publicAddress: (number) => {
      const host = 1 + (number % 131_070);
      return `198.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
    },
    applyControlPlane: async (_desired, operation) => timed(operation),
    // Any other task that removes is taking back what it did.
    removeControlPlane: async (_id, operation) =>
      operation.type === 'delete_k8s_cluster_v2' ? timed(operation) : READY,
    applyNode: async (_desired, operation) => timed(operation),
    removeNode: async (_node, operation) => timed(operation),
  };
}
