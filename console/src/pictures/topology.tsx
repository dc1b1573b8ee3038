import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { meaningOf, wordOf } from '../ui/badge.tsx';
import styles from './topology.module.css';
import { type Edge, layOut, NODE, type Placed, type Topology } from './topology-layout.ts';

type PlacedNode = Placed['nodes'][number];

/** The way of a request, left to right. A line is as wide as its traffic; one that leads to something dead is
 *  broken. Pointing at a thing shows the paths through it. */
export function TopologyPicture({
  topology,
  label,
}: {
  readonly topology: Topology;
  readonly label: string;
}) {
  const [pointed, setPointed] = useState<string>();
  // Pointing at something changes nothing of this.
  const placed = useMemo(() => layOut(topology), [topology]);
  const byId = new Map(placed.nodes.map((node) => [node.id, node]));
  const lit = pointed === undefined ? undefined : reach(topology, pointed);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={styles.scroll} tabIndex={0}>
      <figure
        className={styles.picture}
        style={{ width: placed.width, height: placed.height }}
        aria-label={label}
      >
        <svg width={placed.width} height={placed.height} className={styles.lines} aria-hidden="true">
          {topology.edges.map((edge) => {
            const from = byId.get(edge.from);
            const to = byId.get(edge.to);
            if (!from || !to) return null;
            const dim = lit && !(lit.has(edge.from) && lit.has(edge.to));
            return (
              <Line key={`${edge.from} ${edge.to}`} edge={edge} from={from} to={to} dim={dim === true} />
            );
          })}
        </svg>
        {placed.nodes.map((node) => (
          <Box key={node.id} node={node} dim={lit !== undefined && !lit.has(node.id)} point={setPointed} />
        ))}
      </figure>
    </div>
  );
}

interface LineProps {
  readonly edge: Edge;
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  readonly dim: boolean;
}

function Line({ edge, from, to, dim }: LineProps) {
  const x1 = from.x + NODE.width;
  const y1 = from.y + NODE.height / 2;
  const y2 = to.y + NODE.height / 2;
  const bend = (to.x - x1) / 2;
  return (
    <path
      className={styles.line}
      data-meaning={meaningOf(edge.status)}
      data-dim={dim}
      d={`M${x1} ${y1} C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}`}
      strokeWidth={1.5 + 3.5 * edge.share}
    />
  );
}

interface BoxProps {
  readonly node: PlacedNode;
  readonly dim: boolean;
  readonly point: (id: string | undefined) => void;
}

function Box({ node, dim, point }: BoxProps) {
  const props = {
    className: styles.box,
    style: { transform: `translate(${node.x}px, ${node.y}px)`, width: NODE.width, height: NODE.height },
    'data-meaning': meaningOf(node.status),
    'data-dim': dim,
    'data-node': node.id,
    onMouseEnter: () => point(node.id),
    onMouseLeave: () => point(undefined),
    onFocus: () => point(node.id),
    onBlur: () => point(undefined),
  };
  const inside = (
    <>
      <span className={styles.title}>{node.title}</span>
      <span className={styles.detail}>{node.detail}</span>
      <span className="visually-hidden">{wordOf(node.status)}</span>
    </>
  );
  return (
    <Tooltip label={`${wordOf(node.status)}${node.note ? `: ${node.note}` : ''}`} multiline maw={320}>
      {node.href ? (
        <Link to={node.href} {...props}>
          {inside}
        </Link>
      ) : (
        <div {...props}>{inside}</div>
      )}
    </Tooltip>
  );
}

/** Everything on a path through the node: what leads to it and what it leads to. */
function reach({ edges }: Topology, start: string): ReadonlySet<string> {
  const seen = new Set([start]);
  const follow = (id: string, next: (edge: Edge, id: string) => string | undefined) => {
    for (const edge of edges) {
      const other = next(edge, id);
      if (other === undefined || seen.has(other)) continue;
      seen.add(other);
      follow(other, next);
    }
  };
  follow(start, (edge, id) => (edge.from === id ? edge.to : undefined));
  follow(start, (edge, id) => (edge.to === id ? edge.from : undefined));
  return seen;
}
