/** A thing in the picture. Columns count from the left: address, listener, policy, pool, member. */
export interface Node {
  readonly id: string;
  readonly column: number;
  readonly title: string;
  readonly detail: string;
  readonly status: string;
  /** Where a click leads. */
  readonly href?: string | undefined;
  /** Whether a task works on it. */
  readonly isBusy?: boolean;
  /** Whether a filter leaves it out. */
  readonly isDim?: boolean;
  /** Why it is as it is, for who points at it. */
  readonly note?: string | undefined;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly status: string;
  /** Share of the traffic that goes this way, 0 to 1. */
  readonly share: number;
}

export interface Topology {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The edges that lead to each node, and those that lead on from it: pictures have thousands. */
export interface Links {
  readonly to: (id: string) => readonly Edge[];
  readonly from: (id: string) => readonly Edge[];
}

export const linksOf = (edges: readonly Edge[]): Links => ({
  to: byEnd(edges, 'to'),
  from: byEnd(edges, 'from'),
});

function byEnd(edges: readonly Edge[], end: 'from' | 'to'): (id: string) => readonly Edge[] {
  const found = new Map<string, Edge[]>();
  for (const edge of edges) {
    const its = found.get(edge[end]);
    if (its) its.push(edge);
    else found.set(edge[end], [edge]);
  }
  return (id) => found.get(id) ?? [];
}

/** A node with its place and size, in px. */
export interface PlacedNode extends Node {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Placed {
  /** `tight`: its boxes have room for two lines of a title. `list`: each stands on a row of its own. */
  readonly form: 'wide' | 'tight' | 'list';
  readonly nodes: readonly PlacedNode[];
  readonly width: number;
  readonly height: number;
}

export const NODE = { width: 180, height: 46 };
const GAP = { x: 56, y: 12 };

/** The least with which what stands in a box can be read, and lines can be followed. */
const TIGHT = { width: 112, height: 56, gap: 24 };

/** Above so many nodes in a column, the picture is higher than a window. */
const MANY = 10;

/** Places what is in the picture side by side where there is room for it, else below each other.
 *  @param room in px */
export function layOut(topology: Topology, room = Number.POSITIVE_INFINITY): Placed {
  const links = linksOf(topology.edges);
  const columns = inOrder(topology.nodes, links);
  const gaps = Math.max(1, columns.length - 1);
  const gap = Math.max(TIGHT.gap, Math.min(GAP.x, (room - columns.length * NODE.width) / gaps));
  const width = Math.min(NODE.width, Math.floor((room - gaps * gap) / columns.length));
  if (width < TIGHT.width) return listed(columns, links, room);
  return width < NODE.width
    ? { form: 'tight', ...sideBySide(topology, links, columns, { width, height: TIGHT.height, gap }) }
    : { form: 'wide', ...sideBySide(topology, links, columns, { ...NODE, gap }) };
}

type Columns = readonly (readonly Node[])[];

interface Measure {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

/**
 * Places columns from right to left: nodes of a column stand in the order of what leads to them and never overlap.
 * Each stands in the middle of what it leads to; in a high picture at its beginning, so that the begin of every way is
 * seen without scrolling. Empty columns take no room.
 */
function sideBySide(topology: Topology, links: Links, columns: Columns, { width, height, gap }: Measure) {
  const step = height + GAP.y;
  const isHigh = columns.some(({ length }) => length > MANY);
  const y = new Map<string, number>();
  const heights = (edges: readonly Edge[]) => edges.flatMap(({ to }) => y.get(to) ?? []);
  for (const column of columns.toReversed()) {
    let free = 0;
    for (const node of column) {
      const own = heights(links.from(node.id));
      // What leads to nothing stands beside what its neighbours lead to.
      const targets =
        own.length > 0 ? own : heights(links.to(node.id).flatMap(({ from }) => links.from(from)));
      const [first, last] = [Math.min(...targets), Math.max(...targets)];
      const desired = targets.length === 0 ? free : isHigh ? first : (first + last) / 2;
      const position = Math.max(desired, free);
      y.set(node.id, position);
      free = position + step;
    }
  }
  const passed = passedBy(topology);
  const placed = columns.flatMap((column, index) => {
    const top = passed(column[0]?.column ?? 0) ? step / 2 : 0;
    const x = index * (width + gap);
    return column.map((node) => ({ ...node, x, y: (y.get(node.id) ?? 0) + top, width, height }));
  });
  return {
    nodes: placed,
    width: columns.length * (width + gap) - gap,
    height: Math.max(height, ...placed.map((node) => node.y + height)),
  };
}

/** How much further right a column of a list begins; lines have this room. */
export const INDENT = 24;
const ROW_GAP = 8;

/** Places each node on a row of its own, below all that leads to it. */
function listed(columns: Columns, links: Links, room: number): Placed {
  const order = columns.flatMap((column, depth) => column.map((node) => ({ node, depth })));
  const ranks = new Map(order.map(({ node }, rank) => [node.id, rank]));
  const rows = new Set<number>();
  const add = (rank: number) => {
    const id = order[rank]?.node.id ?? '';
    if (rows.has(rank) || links.to(id).some(({ from }) => !rows.has(ranks.get(from) ?? rank))) return;
    rows.add(rank);
    const next = links.from(id).flatMap(({ to }) => ranks.get(to) ?? []);
    for (const one of next.sort((a, b) => a - b)) add(one);
  };
  for (const rank of order.keys()) add(rank);
  const { height } = NODE;
  const nodes = [...rows].map((rank, row) => {
    const { node, depth } = order[rank] as (typeof order)[number];
    const x = INDENT * depth;
    return { ...node, x, y: row * (height + ROW_GAP), width: room - x, height };
  });
  return { form: 'list', nodes, width: room, height: nodes.length * (height + ROW_GAP) - ROW_GAP };
}

/** Whether a line goes past a column: it then stands lower than the others, so that no line seems to go through it. */
function passedBy({ nodes, edges }: Topology): (column: number) => boolean {
  const columnOf = new Map(nodes.map(({ id, column }) => [id, column]));
  const links = edges.map(({ from, to }) => [columnOf.get(from), columnOf.get(to)] as const);
  return (column) => links.some(([from = column, to = column]) => from < column && to > column);
}

/** The columns from left to right, each in the order of what leads to its nodes: so few lines cross. */
function inOrder(nodes: readonly Node[], links: Links): Columns {
  const ranks = new Map<string, number>();
  const numbers = [...new Set(nodes.map(({ column }) => column))].sort((a, b) => a - b);
  return numbers.map((number, depth) => {
    const column = nodes
      .filter((node) => node.column === number)
      .map((node) => {
        const before = links.to(node.id).flatMap(({ from }) => ranks.get(from) ?? []);
        return { node, rank: depth === 0 ? 0 : Math.min(...before) };
      })
      // What nothing leads to stands last. Equals keep their order.
      .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank));
    // Beside those of other columns it counts first what led to it, then its place among its own.
    for (const [index, { node, rank }] of column.entries()) ranks.set(node.id, rank + index / 1_000 ** depth);
    return column.map(({ node }) => node);
  });
}
