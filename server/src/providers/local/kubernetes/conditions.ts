import type { NodeCondition } from '../../../features/kubernetes/port.ts';
import { ask } from './api.ts';
import type { Paths } from './paths.ts';

interface KubernetesNode {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The conditions of the nodes of a cluster, by their names.
 *  @returns undefined when the API server does not answer */
export async function conditionsOf(
  paths: Paths,
  address: string,
): Promise<ReadonlyMap<string, NodeCondition> | undefined> {
  try {
    const { status, body } = await ask(paths, address, { path: '/api/v1/nodes' });
    if (status !== 200) return undefined;
    return new Map(body.items.map((node: KubernetesNode) => [node.metadata.name, conditionOf(node)]));
  } catch {
    return undefined;
  }
}

const conditionOf = ({ status }: KubernetesNode): NodeCondition =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')
    ? 'Ready'
    : 'NotReady';
