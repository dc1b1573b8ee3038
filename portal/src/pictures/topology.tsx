import { Fragment, memo, type SyntheticEvent, useCallback, useMemo, useState } from 'react';
import { meaningOf, wordOf } from '../ui/badge.tsx';
import { hint } from '../ui/hint.tsx';
import { Link } from '../ui/routing.tsx';
import styles from './topology.module.css';
import {
  type Edge,
  INDENT,
  layOut,
  linksOf,
  type Placed,
  type PlacedNode,
  type Topology,
} from './topology-layout.ts';

/** The way of a request, left to right, and down where there is no room for that. A line is as wide as its traffic; one that leads to something dead is
 *  broken. Pointing at a thing shows the paths through it. */
export function TopologyPicture({
  topology,
  label,
}: {
  readonly topology: Topology;
  readonly label: string;
}) {
  const [pointed, setPointed] = useState<string>();
  const { room, top, frame, look } = useFrame();
  // Pointing at something changes nothing of this.
  const placed = useMemo(() => (room === undefined ? undefined : layOut(topology, room)), [topology, room]);
  const lit = useMemo(
    () => (pointed === undefined ? undefined : reach(topology, pointed)),
    [topology, pointed],
  );
  const isShown = (from: number, to: number) => to > top - AHEAD && from < top + window.innerHeight + AHEAD;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div ref={frame} className={styles.scroll} tabIndex={0} onScroll={look}>
      {placed && (
        <figure
          className={styles.picture}
          style={{ width: placed.width, height: placed.height }}
          data-form={placed.form}
          aria-label={label}
        >
          <Lines placed={placed} edges={topology.edges} lit={lit} isShown={isShown} />
          {placed.nodes
            .filter(({ y, height }) => isShown(y, y + height))
            .map((node) => (
              <Box
                key={node.id}
                node={node}
                dim={node.isDim || (lit !== undefined && !lit.has(node.id))}
                point={setPointed}
              />
            ))}
        </figure>
      )}
    </div>
  );
}

/** So far beyond what the frame shows a picture of thousands is drawn, so that keys and wheels find it, in px. */
const AHEAD = 800;
/** Scrolling less changes nothing of what is drawn. */
const STEP = AHEAD / 4;

/** How wide the picture may be, unknown until its frame stands, and how far down it is scrolled. */
function useFrame() {
  const [room, setRoom] = useState<number>();
  const [top, setTop] = useState(0);
  const frame = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const read = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setRoom(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, []);
  const look = ({ currentTarget }: SyntheticEvent<HTMLElement>) =>
    setTop(Math.round(currentTarget.scrollTop / STEP) * STEP);
  return { room, top, frame, look };
}

interface LinesProps {
  readonly placed: Placed;
  readonly edges: readonly Edge[];
  /** What is pointed at, with all that leads to it and that it leads to. */
  readonly lit: ReadonlySet<string> | undefined;
  /** Whether something between two heights is looked at. */
  readonly isShown: (from: number, to: number) => boolean;
}

function Lines({ placed, edges, lit, isShown }: LinesProps) {
  const byId = useMemo(
    () => new Map(placed.nodes.map((node, index) => [node.id, { node, index }])),
    [placed],
  );
  return (
    <svg width={placed.width} height={placed.height} className={styles.lines} aria-hidden="true">
      {edges.map((edge) => {
        const from = byId.get(edge.from);
        const to = byId.get(edge.to);
        if (!from || !to) return null;
        const heights = [from.node.y, to.node.y];
        if (!isShown(Math.min(...heights), Math.max(...heights) + to.node.height)) return null;
        return (
          <path
            key={`${edge.from} ${edge.to}`}
            className={styles.line}
            data-meaning={meaningOf(edge.status)}
            data-dim={lit !== undefined && !(lit.has(edge.from) && lit.has(edge.to))}
            d={placed.form === 'list' ? down(from.node, to.node, from.index) : across(from.node, to.node)}
            strokeWidth={1.5 + 3.5 * edge.share}
          />
        );
      })}
    </svg>
  );
}

function across(from: PlacedNode, to: PlacedNode): string {
  const x1 = from.x + from.width;
  const y1 = from.y + from.height / 2;
  const y2 = to.y + to.height / 2;
  const bend = (to.x - x1) / 2;
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}`;
}

/** Lines of neighbours begin beside each other, so that one that goes past another is told from it. */
function down(from: PlacedNode, to: PlacedNode, index: number): string {
  const x = from.x + INDENT / 4 + (index % 3) * 4;
  const y = to.y + to.height / 2;
  return `M${x} ${from.y + from.height} V${y - 6} Q${x} ${y} ${x + 6} ${y} H${to.x}`;
}

interface BoxProps {
  readonly node: PlacedNode;
  readonly dim: boolean;
  readonly point: (id: string | undefined) => void;
}

/** Pointing at one draws only those anew whose dimming it changes. */
const Box = memo(function Box({ node, dim, point }: BoxProps) {
  const said = hint((box) => wordsOf(node, box));
  const props = {
    className: styles.box,
    style: { transform: `translate(${node.x}px, ${node.y}px)`, width: node.width, height: node.height },
    'data-meaning': meaningOf(node.status),
    'data-dim': dim,
    'data-busy': node.isBusy || undefined,
    'data-node': node.id,
    onMouseEnter: (event: SyntheticEvent<HTMLElement>) => {
      point(node.id);
      said.onMouseEnter(event);
    },
    onMouseLeave: () => {
      point(undefined);
      said.onMouseLeave();
    },
    onFocus: (event: SyntheticEvent<HTMLElement>) => {
      point(node.id);
      said.onFocus(event);
    },
    onBlur: () => {
      point(undefined);
      said.onBlur();
    },
  };
  const inside = (
    <>
      <span className={styles.title}>{breakable(node.title)}</span>
      <span className={styles.detail}>{node.detail}</span>
      <span className="visually-hidden">{wordOf(node.status)}</span>
    </>
  );
  return node.href ? (
    <Link to={node.href} {...props}>
      {inside}
    </Link>
  ) : (
    <div {...props}>{inside}</div>
  );
});

/** An address that has no room in one line is best broken before its port, where there are two lines. */
const breakable = (title: string) =>
  title.split(/(?=:\d+$)/).map((part, index) => (
    <Fragment key={part}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));

/** How it is and why, and all of what there is no room for. */
function wordsOf({ title, detail, status, note }: PlacedNode, box: HTMLElement): string {
  const isCut = [...box.children].some(
    (line) =>
      line instanceof HTMLElement &&
      line.className !== 'visually-hidden' &&
      (line.scrollWidth > line.clientWidth || line.scrollHeight > line.clientHeight),
  );
  const state = `${wordOf(status)}${note ? `: ${note}` : ''}`;
  return isCut ? `${title}, ${detail}. ${state}` : state;
}

/** Everything on a path through the node: what leads to it and what it leads to. */
function reach({ edges }: Topology, start: string): ReadonlySet<string> {
  const links = linksOf(edges);
  const seen = new Set([start]);
  const follow = (id: string, next: (id: string) => readonly string[]) => {
    for (const other of next(id)) {
      if (seen.has(other)) continue;
      seen.add(other);
      follow(other, next);
    }
  };
  follow(start, (id) => links.from(id).map(({ to }) => to));
  follow(start, (id) => links.to(id).map(({ from }) => from));
  return seen;
}
