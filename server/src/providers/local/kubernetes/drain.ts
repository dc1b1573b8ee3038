import { ask } from './api.ts';
import type { Paths } from './paths.ts';

/** Kubernetes' own way to empty a node: no new pods, then each pod is evicted, which disruption budgets may delay. */

const PODS = (node: string) => `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
/** Set on pods that a kubelet has by itself. */
const MIRROR = 'kubernetes.io/config.mirror';
const TOO_MANY_REQUESTS = 429;

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly status: { readonly phase: string };
}

/** What a node still has to get rid of, in words; undefined: it is empty. */
export async function drain(paths: Paths, address: string, node: string): Promise<string | undefined> {
  const cordoned = await ask(paths, address, {
    method: 'PATCH',
    path: `/api/v1/nodes/${node}`,
    body: { spec: { unschedulable: true } },
  });
  if (cordoned.status === 404) return undefined;
  const { body } = await ask(paths, address, { path: PODS(node) });
  const left = (body.items as readonly Pod[]).filter(mustLeave);
  const held: string[] = [];
  for (const pod of left) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const reason = await evict(paths, address, pod);
    if (reason !== undefined) held.push(reason);
  }
  if (left.length === 0) return undefined;
  const [first] = held;
  return first ?? `${left.length} ${left.length === 1 ? 'pod is' : 'pods are'} leaving ${node}`;
}

/** Pods of daemons stay to the end, and what has ended needs nobody's leave. */
function mustLeave({ metadata, status }: Pod): boolean {
  if (metadata.annotations?.[MIRROR] !== undefined) return false;
  if (metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet')) return false;
  return status.phase !== 'Succeeded' && status.phase !== 'Failed';
}

/** @returns why it may not leave now */
async function evict(paths: Paths, address: string, { metadata }: Pod): Promise<string | undefined> {
  const { name, namespace } = metadata;
  const { status, body } = await ask(paths, address, {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
  });
  if (status !== TOO_MANY_REQUESTS) return undefined;
  const causes: readonly { readonly message?: string }[] = body.details?.causes ?? [];
  return `pod ${namespace}/${name} is held by a disruption budget: ${causes[0]?.message ?? body.message}`;
}
