import type { PoolToScale } from '../../../features/kubernetes/port.ts';
import { taintOf } from './marks.ts';

/** How many nodes the pods of a pool need. Pure. */

export interface Pod {
  readonly metadata: {
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
    readonly containers: readonly {
      readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    }[];
  };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** @property cpu in thousandths of a processor @property memory in bytes */
interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

const MIRROR = 'kubernetes.io/config.mirror';
const MAX_PODS = 110;
const MEBIBYTE = 1024 ** 2;

/** With pods that fit nowhere, as many more nodes as these fill; else all up to the newest node that has pods: nodes go from
 *  the newest on, and none is drained only to be spared.
 *  @param now in milliseconds */
export function neededNodes(pool: PoolToScale, pods: readonly Pod[], now: number): number {
  const room: Amounts = { cpu: pool.vcpus * 1000, memory: pool.memoryMib * MEBIBYTE };
  const isOld = ({ metadata }: Pod) => now - createdAt(metadata) >= pool.scaling.newPodMs;
  const waiting = pods
    .filter((pod) => isUnschedulable(pod) && isOld(pod) && mayRunIn(pod, pool))
    .map(requestsOf);
  const fitting = waiting.filter(({ cpu, memory }) => cpu <= room.cpu && memory <= room.memory);
  if (fitting.length > 0) return pool.nodes.length + nodesFor(fitting, room);
  const busy = new Set(pods.filter(occupies).map(({ spec }) => spec.nodeName));
  return pool.nodes.findLastIndex((name) => busy.has(name)) + 1;
}

const createdAt = ({ creationTimestamp: text }: Pod['metadata']): number =>
  text === undefined ? 0 : Date.parse(text);

const isUnschedulable = ({ metadata, spec, status }: Pod): boolean =>
  spec.nodeName === undefined &&
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(
    ({ type, status: is, reason }) => type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  ) === true;

/** Pods of daemons are on each node, and need none. */
function occupies({ metadata, status }: Pod): boolean {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return false;
  if (metadata.annotations?.[MIRROR] !== undefined) return false;
  return metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') !== true;
}

/** Whether a new node of the pool would take the pod. */
function mayRunIn({ spec }: Pod, { labels, taints }: PoolToScale): boolean {
  const selected = Object.entries(spec.nodeSelector ?? {});
  if (!selected.every(([key, value]) => labels[key] === value || key === 'kubernetes.io/os')) return false;
  return Object.entries(taints).every(([key, text]) => {
    const { value, effect } = taintOf(key, text);
    return (
      effect === 'PreferNoSchedule' || spec.tolerations?.some((each) => tolerates(each, key, value, effect))
    );
  });
}

const tolerates = (each: Toleration, key: string, value: string, effect: string): boolean =>
  (each.effect === undefined || each.effect === effect) &&
  (each.operator === 'Exists'
    ? each.key === undefined || each.key === key
    : each.key === key && (each.value ?? '') === value);

function requestsOf({ spec }: Pod): Amounts {
  const sum = (name: string) =>
    spec.containers.reduce((all, { resources }) => all + quantityOf(resources?.requests?.[name]), 0);
  return { cpu: sum('cpu') * 1000, memory: sum('memory') };
}

const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: MEBIBYTE,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

/** A quantity of Kubernetes, as `250m` or `1Gi`; what cannot be read is nothing. */
export function quantityOf(text: string | undefined): number {
  const [, number, unit = ''] = /^([0-9.]+(?:e[0-9]+)?)([a-zA-Z]*)$/.exec(text ?? '0') ?? [];
  return Number(number ?? 0) * (UNITS[unit] ?? 0);
}

/** The largest first, each into the first node that has room. */
function nodesFor(requests: readonly Amounts[], room: Amounts): number {
  const nodes: { cpu: number; memory: number; pods: number }[] = [];
  for (const { cpu, memory } of [...requests].sort(
    (one, other) => other.cpu - one.cpu || other.memory - one.memory,
  )) {
    const node = nodes.find(
      (each) => each.cpu + cpu <= room.cpu && each.memory + memory <= room.memory && each.pods < MAX_PODS,
    );
    if (node) {
      node.cpu += cpu;
      node.memory += memory;
      node.pods += 1;
    } else nodes.push({ cpu, memory, pods: 1 });
  }
  return nodes.length;
}
