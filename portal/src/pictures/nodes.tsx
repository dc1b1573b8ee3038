import { Skeleton, Tooltip } from '@mantine/core';
import { meaningOf, wordOf } from '../ui/badge.tsx';
import { hint, showHint } from '../ui/hint.tsx';
import styles from './nodes.module.css';

export interface NodeTile {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** What an upgrade will do with it, or has done. */
  readonly note: string | undefined;
  /** Whether it is from before the upgrade. */
  readonly old: boolean;
}

interface NodesProps {
  readonly nodes: readonly NodeTile[];
  readonly onDelete?: (node: NodeTile) => void;
  /** Why none can be deleted. */
  readonly why?: string | undefined;
}

/** A tile a node: old, being created, ready, being deleted. */
export function Nodes({ nodes, onDelete, why }: NodesProps) {
  const common = commonPrefix(nodes.map(({ name }) => name));
  return (
    <ul className={styles.tiles}>
      {nodes.map((node) => (
        <li key={node.id} className={styles.tile} data-meaning={meaningOf(node.status)} data-old={node.old}>
          <Tooltip label={`${node.name}: ${wordOf(node.status)}`}>
            <span className={styles.name}>{node.name.slice(common)}</span>
          </Tooltip>
          <span className={styles.version}>{node.note ?? wordOf(node.status)}</span>
          {onDelete && (
            <button
              type="button"
              className={styles.remove}
              aria-label={`Delete node ${node.name}`}
              {...(why ? { ...hint(why), 'aria-disabled': true } : {})}
              onClick={({ currentTarget }) => (why ? showHint(currentTarget, why) : onDelete(node))}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Keeps the room of nodes that are not known yet. */
export function NodesSkeleton({ count }: { readonly count: number }) {
  return (
    <ul className={styles.tiles} aria-busy="true">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <li key={index}>
          <Skeleton height={56} />
        </li>
      ))}
    </ul>
  );
}

/** How much of their names all nodes share, up to a dash: what distinguishes them stands behind it. */
function commonPrefix(names: readonly string[]): number {
  const [first = '', ...others] = names;
  let length = others.length === 0 ? 0 : first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length).lastIndexOf('-') + 1;
}
