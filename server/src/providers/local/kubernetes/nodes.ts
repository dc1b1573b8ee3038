import type { NodeCondition } from '../../../features/kubernetes/port.ts';
import { ask } from './api.ts';
import { type MarkedNode, type Marks, marksPatch } from './marks.ts';
import type { Paths } from './paths.ts';

/** Nodes as the API server of their cluster has them. */

export interface NodeObject extends MarkedNode {
  readonly metadata: MarkedNode['metadata'] & { readonly name: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The nodes of a cluster, by their names.
 *  @returns undefined when the API server does not answer */
export async function nodesOf(
  paths: Paths,
  address: string,
): Promise<ReadonlyMap<string, NodeObject> | undefined> {
  try {
    const { status, body } = await ask(paths, address, { path: '/api/v1/nodes' });
    if (status !== 200) return undefined;
    return new Map(body.items.map((node: NodeObject) => [node.metadata.name, node]));
  } catch {
    return undefined;
  }
}

/** @param node undefined: there is none of that name */
export function conditionOf(node: NodeObject | undefined): NodeCondition {
  if (node === undefined) return 'Gone';
  const isReady = node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return isReady ? 'Ready' : 'NotReady';
}

/** Gives a node the labels and taints of its pool, and notes which they are, unless it has them.
 *  @returns false when somebody else has changed the node at the same time, or the server does not answer: the next look
 *    does it */
export async function markNode(
  paths: Paths,
  address: string,
  node: NodeObject,
  marks: Marks,
): Promise<boolean> {
  const body = marksPatch(node, marks);
  if (body === undefined) return true;
  const path = `/api/v1/nodes/${node.metadata.name}`;
  const answer = await ask(paths, address, { method: 'PATCH', path, body }).catch(() => undefined);
  return answer?.status === 200;
}
