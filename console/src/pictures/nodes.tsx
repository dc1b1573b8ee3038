import { Tooltip } from '@mantine/core';
import { meaningOf, wordOf } from '../ui/badge.tsx';
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
}

/** A tile a node: old, being made, ready, going. */
export function Nodes({ nodes, onDelete }: NodesProps) {
  return (
    <ul className={styles.tiles}>
      {nodes.map((node) => (
        <li key={node.id} className={styles.tile} data-meaning={meaningOf(node.status)} data-old={node.old}>
          <Tooltip label={`${node.name}: ${wordOf(node.status)}`}>
            <span className={styles.name}>{node.name}</span>
          </Tooltip>
          <span className={styles.version}>{node.note ?? wordOf(node.status)}</span>
          {onDelete && (
            <button
              type="button"
              className={styles.remove}
              aria-label={`Delete node ${node.name}`}
              onClick={() => onDelete(node)}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
