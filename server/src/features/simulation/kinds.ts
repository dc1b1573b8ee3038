import { closest, distance } from 'fastest-levenshtein';

export { FAULT_KINDS } from './kinds.gen.ts';

/** Single nodes of clusters, which are no tasks of their own. */
export const NODE_KINDS = ['create_k8s_node', 'delete_k8s_node'] as const;

/** Nodes that were ready: a share of them, decided by the seed, fails some time later. */
export const CONDITION_KINDS = ['k8s_node_gone', 'k8s_node_not_ready'] as const;

const MAX_TYPOS = 5;

/** What is wrong with a kind, or undefined. */
export function kindFault(kind: string, kinds: readonly string[]): string | undefined {
  if (kinds.includes(kind)) return undefined;
  const near = closest(kind, [...kinds]);
  const hint =
    distance(kind, near) <= MAX_TYPOS ? `; did you mean ${near}?` : ': see the list in the documents';
  return `${kind} is no kind of work that can fail${hint}`;
}
