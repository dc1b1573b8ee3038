/** A thing in the picture. Columns count from the left: address, listener, policy, pool, member. */
export interface Node {
  readonly id: string;
  readonly column: number;
  readonly title: string;
  readonly detail: string;
  readonly status: string;
  /** Where a click leads. */
  readonly href?: string | undefined;
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

export interface Placed {
  readonly nodes: readonly (Node & { readonly x: number; readonly y: number })[];
  readonly width: number;
  readonly height: number;
}

export const NODE = { width: 160, height: 46 };
const GAP = { x: 56, y: 12 };
const STEP_Y = NODE.height + GAP.y;

/** Above so many nodes in a column, the picture is higher than a window. */
const MANY = 10;

/**
 * Places columns from right to left: nodes of a column stand in the order of what leads to them and never overlap.
 * Each stands in the middle of what it leads to; in a high picture at its beginning, so that the begin of every way is
 * seen without scrolling. Empty columns take no room.
 */
export function layOut({ nodes, edges }: Topology): Placed {
  const columns = inOrder(nodes, edges);
  const isHigh = columns.some(({ length }) => length > MANY);
  const y = new Map<string, number>();
  const heights = (ways: readonly Edge[]) => ways.flatMap(({ to }) => y.get(to) ?? []);
  for (const column of columns.toReversed()) {
    let free = 0;
    for (const node of column) {
      const own = heights(edges.filter(({ from }) => from === node.id));
      // What leads to nothing stands beside what its neighbours lead to.
      const before = edges.filter(({ to }) => to === node.id).map(({ from }) => from);
      const targets = own.length > 0 ? own : heights(edges.filter(({ from }) => before.includes(from)));
      const [first, last] = [Math.min(...targets), Math.max(...targets)];
      const desired = targets.length === 0 ? free : isHigh ? first : (first + last) / 2;
      const place = Math.max(desired, free);
      y.set(node.id, place);
      free = place + STEP_Y;
    }
  }
  const placed = columns.flatMap((column, index) => {
    const top = isPassed(column, nodes, edges) ? STEP_Y / 2 : 0;
    const x = index * (NODE.width + GAP.x);
    return column.map((node) => ({ ...node, x, y: (y.get(node.id) ?? 0) + top }));
  });
  return {
    nodes: placed,
    width: columns.length * (NODE.width + GAP.x) - GAP.x,
    height: Math.max(NODE.height, ...placed.map((node) => node.y + NODE.height)),
  };
}

/** Whether a line goes past a column: it then stands lower than the others, so that no line seems to go through it. */
function isPassed([first]: readonly Node[], nodes: readonly Node[], edges: readonly Edge[]): boolean {
  const columnOf = new Map(nodes.map(({ id, column }) => [id, column]));
  const column = first?.column ?? 0;
  return edges.some(
    ({ from, to }) => (columnOf.get(from) ?? column) < column && (columnOf.get(to) ?? column) > column,
  );
}

/** The columns from left to right, each in the order of what leads to its nodes: so few lines cross. */
function inOrder(nodes: readonly Node[], edges: readonly Edge[]): readonly (readonly Node[])[] {
  const ranks = new Map<string, number>();
  const numbers = [...new Set(nodes.map(({ column }) => column))].sort((a, b) => a - b);
  return numbers.map((number, depth) => {
    const column = nodes
      .filter((node) => node.column === number)
      .map((node) => {
        const before = edges.filter(({ to }) => to === node.id).flatMap(({ from }) => ranks.get(from) ?? []);
        return { node, rank: depth === 0 ? 0 : Math.min(...before) };
      })
      // What nothing leads to stands last. Equals keep their order.
      .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank));
    // Beside those of other columns it counts first what led to it, then its place among its own.
    for (const [index, { node, rank }] of column.entries()) ranks.set(node.id, rank + index / 1_000 ** depth);
    return column.map(({ node }) => node);
  });
}
