import type { Schemas } from '../../api/client.ts';
import type { Scope } from '../../api/scope.ts';
import { pageOf } from '../../app/kinds.ts';
import type { Edge, Node, Topology } from '../../pictures/topology-layout.ts';

/** The picture of a project: what traffic goes through stands left of what it goes to. */

export type ProjectMap = Schemas['ProjectMap'];
type MapNode = ProjectMap['nodes'][number];

/** In which column a kind stands, and what several are called. */
export const KINDS: Readonly<Record<string, { readonly column: number; readonly words: string }>> = {
  floating_ip: { column: 0, words: 'Floating IPs' },
  load_balancer: { column: 1, words: 'Load balancers' },
  pool: { column: 2, words: 'Pools' },
  members: { column: 3, words: 'Members' },
  instance: { column: 3, words: 'Instances' },
  kubernetes_cluster: { column: 3, words: 'Kubernetes clusters' },
  postgresql_cluster: { column: 3, words: 'PostgreSQL clusters' },
  object_storage: { column: 3, words: 'Object storages' },
  network: { column: 4, words: 'Networks' },
};

const ORDER = Object.keys(KINDS);

export interface Shown {
  /** Only these are in full colour; undefined: all. */
  readonly text: string;
  readonly region: number | undefined;
}

/** What is drawn of a map, from where the reader is. */
export function pictureOf(map: ProjectMap, here: Scope, { text, region }: Shown): Topology {
  const regions = new Map(map.regions.map(({ id, name }) => [id, name]));
  const byId = new Map(map.nodes.map((node) => [node.id, node]));
  const isShown = (node: MapNode) => region === undefined || node.region_id === region;
  const isFound = ({ name, detail }: MapNode) =>
    `${name} ${detail}`.toLowerCase().includes(text.trim().toLowerCase());
  const linked = new Set(map.edges.flatMap(({ from, to }) => [from, to]));
  // What traffic goes through stands above what stands alone, each kind together.
  const rank = ({ id, kind }: MapNode) => (linked.has(id) ? 0 : ORDER.length) + ORDER.indexOf(kind);
  const shown = map.nodes.filter(isShown).sort((a, b) => rank(a) - rank(b));
  const nodes = shown.map((node): Node => {
    const owner = (node.part_of ? byId.get(node.part_of) : undefined) ?? node;
    const scope = { ...here, region: owner.region_id ?? here.region };
    return {
      id: node.id,
      column: KINDS[node.kind]?.column ?? 3,
      title: node.name,
      detail: [node.detail, region === undefined ? regions.get(node.region_id ?? 0) : undefined]
        .filter(Boolean)
        .join(' · '),
      status: node.status,
      href: pageOf(owner, scope),
      isBusy: node.task_id !== null,
      isDim: !isFound(node),
    };
  });
  const ids = new Set(shown.map(({ id }) => id));
  const edges = map.edges
    .filter(({ from, to }) => ids.has(from) && ids.has(to))
    .map(({ from, to }): Edge => ({ from, to, status: byId.get(to)?.status ?? '', share: 0.15 }));
  return { nodes, edges };
}
