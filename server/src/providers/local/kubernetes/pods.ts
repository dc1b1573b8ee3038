import type { ClusterPods, PodCounts, UnreadyPod } from '../../../features/kubernetes/port.ts';
import { ask } from './api.ts';
import type { Pod } from './needed.ts';
import type { Paths } from './paths.ts';

/** How the pods of a cluster are, as its API server has them. */

export interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

interface ContainerStatus {
  readonly restartCount: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
}

const PAGE = 500;
const MOST_PODS = 5_000;
const MOST_UNREADY = 50;
const LONGEST_TEXT = 500;

/** Reads them in pages, of a very large cluster the first 5,000.
 *  @returns undefined when the API server does not answer */
export async function podsOf(paths: Paths, address: string): Promise<ClusterPods | undefined> {
  const tally = new PodTally();
  let next = '';
  try {
    do {
      const path = `/api/v1/pods?limit=${PAGE}&continue=${encodeURIComponent(next)}`;
      const { status, body } = await ask(paths, address, { path });
      if (status !== 200) return undefined;
      tally.add(body.items);
      next = body.metadata.continue ?? '';
    } while (next !== '' && tally.count < MOST_PODS);
  } catch {
    return undefined;
  }
  return tally.result(next === '');
}

/** All pods of a cluster, for what has to know each of them.
 *  @returns undefined when the API server does not answer */
export async function allPodsOf(paths: Paths, address: string): Promise<readonly Pod[] | undefined> {
  try {
    const { status, body } = await ask(paths, address, { path: '/api/v1/pods' });
    return status === 200 ? body.items : undefined;
  } catch {
    return undefined;
  }
}

/** Counts pods, and keeps no more of them than are shown. */
export class PodTally {
  count = 0;
  readonly #namespaces = new Map<string, Record<keyof PodCounts, number>>();
  readonly #nodes = new Map<string, number>();
  readonly #unready: UnreadyPod[] = [];
  #unreadyCount = 0;

  add(pods: readonly PodObject[]): void {
    for (const pod of pods) this.#add(pod);
  }

  /** @param isComplete whether all pods of the cluster were counted */
  result(isComplete: boolean): ClusterPods {
    return {
      isComplete,
      namespaces: this.#namespaces,
      nodes: this.#nodes,
      unready: this.#unready,
      unreadyCount: this.#unreadyCount,
    };
  }

  #add(pod: PodObject): void {
    this.count += 1;
    const { namespace } = pod.metadata;
    const counts = this.#namespaces.get(namespace) ?? noPods();
    counts[phaseOf(pod)] += 1;
    this.#namespaces.set(namespace, counts);
    const { nodeName } = pod.spec;
    if (nodeName !== undefined && !hasEnded(pod))
      this.#nodes.set(nodeName, (this.#nodes.get(nodeName) ?? 0) + 1);
    const unready = unreadyOf(pod);
    if (unready === undefined) return;
    this.#unreadyCount += 1;
    if (this.#unready.length < MOST_UNREADY) this.#unready.push(unready);
  }
}

const noPods = () => ({ pending: 0, running: 0, succeeded: 0, failed: 0, unknown: 0 });

function phaseOf({ status }: PodObject): keyof PodCounts {
  switch (status.phase) {
    case 'Pending':
      return 'pending';
    case 'Running':
      return 'running';
    case 'Succeeded':
      return 'succeeded';
    case 'Failed':
      return 'failed';
    default:
      return 'unknown';
  }
}

const hasEnded = ({ status }: PodObject): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed';

/** @returns undefined when it is ready, or has done its work */
function unreadyOf(pod: PodObject): UnreadyPod | undefined {
  const { metadata, spec, status } = pod;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (status.phase === 'Succeeded' || ready?.status === 'True') return undefined;
  const { reason, message } = causeOf(pod, ready);
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    node: spec.nodeName ?? null,
    reason: reason.slice(0, LONGEST_TEXT),
    message: message ? message.slice(0, LONGEST_TEXT) : null,
    restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
    since: new Date(ready?.lastTransitionTime ?? metadata.creationTimestamp),
  };
}

interface Cause {
  readonly reason: string;
  readonly message?: string | undefined;
}

/** What kubectl would show as its status, with what Kubernetes says of it. */
function causeOf({ metadata, status }: PodObject, ready: Condition | undefined): Cause {
  if (metadata.deletionTimestamp !== undefined) return { reason: 'Terminating' };
  if (status.reason !== undefined) return { reason: status.reason, message: status.message };
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason !== undefined)
    return { reason: scheduled.reason, message: scheduled.message };
  for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const cause = causeIn(container);
    if (cause !== undefined) return cause;
  }
  return { reason: ready?.reason ?? status.phase, message: ready?.message };
}

/** What keeps one container from being ready; undefined: it runs, has done its work, or waits for its turn. */
function causeIn({ state, lastState }: ContainerStatus): Cause | undefined {
  const { waiting, terminated } = state ?? {};
  if (terminated !== undefined && terminated.exitCode !== 0)
    return { reason: terminated.reason ?? 'Error', message: terminated.message ?? exitOf(terminated) };
  if (waiting?.reason === undefined || waiting.reason === 'PodInitializing') return undefined;
  const last = lastState?.terminated;
  const said = [waiting.message, last && exitOf(last)].filter((text) => text !== undefined);
  return { reason: waiting.reason, message: said.join('; ') };
}

const exitOf = ({ exitCode, reason }: NonNullable<ContainerState['terminated']>): string =>
  `its last run ended with the exit code ${exitCode}${reason === undefined ? '' : ` (${reason})`}`;
