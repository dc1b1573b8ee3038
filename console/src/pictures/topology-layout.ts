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

/** Places columns from right to left, each node in the middle of what it leads to; nodes of a column keep their
 *  order and never overlap. Empty columns take no room. */
export function layOut({ nodes, edges }: Topology): Placed {
  const columns = [...new Set(nodes.map(({ column }) => column))].sort((a, b) => a - b);
  const y = new Map<string, number>();
  for (const column of columns.toReversed()) {
    let free = 0;
    for (const node of nodes.filter((one) => one.column === column)) {
      const targets = edges.filter(({ from }) => from === node.id).flatMap(({ to }) => y.get(to) ?? []);
      const desired = targets.length > 0 ? (Math.min(...targets) + Math.max(...targets)) / 2 : free;
      const place = Math.max(desired, free);
      y.set(node.id, place);
      free = place + STEP_Y;
    }
  }
  const placed = nodes.map((node) => ({
    ...node,
    x: columns.indexOf(node.column) * (NODE.width + GAP.x),
    y: y.get(node.id) ?? 0,
  }));
  return {
    nodes: placed,
    width: columns.length * (NODE.width + GAP.x) - GAP.x,
    height: Math.max(NODE.height, ...placed.map((node) => node.y + NODE.height)),
  };
}
