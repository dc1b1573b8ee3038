import type { CreatedKind } from '../../../platform/tasks/created-resources.ts';
import type { WhenLost } from '../../../platform/tasks/locks.ts';
import { LISTENER_COLUMNS, MEMBER_COLUMNS, MONITOR_COLUMNS, POOL_COLUMNS, STATUSES } from '../columns.ts';
import type { LoadBalancerTree, PartRows } from '../model.ts';

/** The kinds of parts that a load balancer is made of. A new kind is registered here, and gets everything that
 *  changes parts: writing, holding, settling and undoing. Its table has the columns that `STATE_COLUMNS`
 *  names, and `previous jsonb`. */

export type PartKind = keyof PartRows;

export interface PartRef {
  readonly kind: PartKind;
  readonly id: string;
}

export interface KindSpec {
  readonly table: string;
  /** What messages call it. */
  readonly noun: string;
  /** Under which key tasks name what they created. */
  readonly created: CreatedKind;
  /** Columns that a creation writes; see `CHANGED_COLUMNS` for changes. */
  readonly columns: readonly string[];
  readonly rows: (tree: LoadBalancerTree) => readonly { readonly id: string; readonly name?: string }[];
  /** The part that it belongs to, and goes with. */
  readonly owner?: { readonly kind: PartKind; readonly column: string };
  /** Other parts that use it, and so change with it. */
  readonly users?: (tree: LoadBalancerTree, id: string) => readonly PartRef[];
}

/** In the order in which they can be inserted. */
export const KINDS: Readonly<Record<PartKind, KindSpec>> = {
  pool: {
    table: 'lb_pools',
    noun: 'Pool',
    created: 'pools',
    columns: ['project_id', 'region_id', ...POOL_COLUMNS],
    rows: (tree) => tree.pools,
    users: (tree, id) => [
      ...tree.listeners
        .filter((listener) => listener.default_pool_id === id)
        .map((listener): PartRef => ({ kind: 'listener', id: listener.id })),
      ...tree.policies
        .filter((policy) => policy.redirect_pool_id === id)
        .map((policy): PartRef => ({ kind: 'policy', id: policy.id })),
    ],
  },
  member: {
    table: 'lb_members',
    noun: 'Member',
    created: 'members',
    columns: MEMBER_COLUMNS,
    rows: (tree) => tree.members,
    owner: { kind: 'pool', column: 'pool_id' },
  },
  monitor: {
    table: 'lb_health_monitors',
    noun: 'Health monitor',
    created: 'healthmonitors',
    columns: MONITOR_COLUMNS,
    rows: (tree) => tree.monitors,
    owner: { kind: 'pool', column: 'pool_id' },
  },
  listener: {
    table: 'lb_listeners',
    noun: 'Listener',
    created: 'listeners',
    columns: ['project_id', 'region_id', ...LISTENER_COLUMNS],
    rows: (tree) => tree.listeners,
  },
  policy: {
    table: 'lb_l7_policies',
    noun: 'L7 policy',
    created: 'l7polices',
    columns: [
      'project_id',
      'region_id',
      'listener_id',
      'name',
      'action',
      'position',
      'tags',
      'redirect_url',
      'redirect_prefix',
      'redirect_pool_id',
      'redirect_http_code',
    ],
    rows: (tree) => tree.policies,
    owner: { kind: 'listener', column: 'listener_id' },
  },
  rule: {
    table: 'lb_l7_rules',
    noun: 'L7 rule',
    created: 'l7rules',
    columns: [
      'project_id',
      'region_id',
      'policy_id',
      'type',
      'compare_type',
      'key',
      'value',
      'invert',
      'tags',
    ],
    rows: (tree) => tree.rules,
    owner: { kind: 'policy', column: 'policy_id' },
  },
};

/** Columns that every kind has beside its own. */
export const STATE_COLUMNS = [
  'id',
  'load_balancer_id',
  ...STATUSES,
  'task_id',
  'creator_task_id',
  'created_at',
] as const;

/** A load balancer whose task was lost is in ERROR with what was being changed: any change repairs it. */
export const HELD: readonly WhenLost[] = [
  {
    table: 'load_balancers',
    becomes: `provisioning_status = 'ERROR'`,
    parts: Object.values(KINDS).map(({ table }) => ({
      table,
      becomes: `provisioning_status = 'ERROR', previous = null`,
    })),
  },
];

export const ALL_KINDS = Object.entries(KINDS) as readonly (readonly [PartKind, KindSpec])[];

/** What goes when this part goes, itself included. */
export function withBelongings(tree: LoadBalancerTree, part: PartRef): PartRef[] {
  const owned = ALL_KINDS.flatMap(([kind, { owner, rows }]) =>
    owner?.kind === part.kind
      ? rows(tree)
          .filter((row) => Reflect.get(row, owner.column) === part.id)
          .map(({ id }): PartRef => ({ kind, id }))
      : [],
  );
  return [part, ...owned.flatMap((child) => withBelongings(tree, child))];
}

/** The parts between this one and the load balancer: what it belongs to, and what uses it.
 *  @param row of the part, which the tree need not have yet */
export function partsAbove(tree: LoadBalancerTree, kind: PartKind, row: { readonly id: string }): PartRef[] {
  const { owner, users } = KINDS[kind];
  const above: PartRef[] = [...(users?.(tree, row.id) ?? [])];
  if (owner) above.push({ kind: owner.kind, id: String(Reflect.get(row, owner.column)) });
  return above.flatMap((part) => {
    const found = KINDS[part.kind].rows(tree).find(({ id }) => id === part.id);
    return found ? [part, ...partsAbove(tree, part.kind, found)] : [];
  });
}
