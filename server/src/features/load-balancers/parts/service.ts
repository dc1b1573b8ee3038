import { isDeepStrictEqual } from 'node:util';
import { NotFound } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { Created } from '../../../platform/tasks/created-resources.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../../platform/tasks/start.ts';
import { CHANGED_COLUMNS } from '../columns.ts';
import type { DataPlanes } from '../data-planes.ts';
import { connectMembers } from '../members/connectivity.ts';
import { refuseUnreachable } from '../members/reachable.ts';
import { type LoadBalancerTree, type PartRows, requireTransition, settingsOf } from '../model.ts';
import { lockLoadBalancer } from '../store.ts';
import type { ChangeInput } from '../tasks/change.ts';
import type { UpdateInput } from '../tasks/update.ts';
import { readTree } from '../tree-store.ts';
import { refuseUnservable } from '../unservable.ts';
import { ALL_KINDS, KINDS, type PartKind, type PartRef, partsAbove, withBelongings } from './kinds.ts';
import { refuseTooMany } from './limits.ts';
import { NewRows } from './rows.ts';
import {
  type Changes,
  type HeldPart,
  hold,
  insertParts,
  readOwner,
  type Updates,
  updateParts,
} from './store.ts';
import type { PartTask } from './tasks.ts';

/** What a change consists of, beside the new rows. */
export interface PartChange {
  readonly task: PartTask;
  /** The part that the task is about. */
  readonly subject: { readonly id: string; readonly name: string };
  /** What the task's `data` has besides the ids of the subject and the load balancer. */
  readonly data?: Readonly<Record<string, string>>;
  readonly updates?: Updates;
  /** Whatever belongs to these goes with them. */
  readonly removals?: readonly PartRef[];
  /** Parts that the task names as created beside the new ones. */
  readonly created?: Created;
}

/** What a change is decided from. */
export interface Decision {
  /** The load balancer as it is, locked until the change is written. */
  readonly tree: LoadBalancerTree;
  /** Accepts new parts. */
  readonly rows: NewRows;
  readonly tx: Tx;
}

/** Decides what a request changes, which may be nothing.
 *  @throws Invalid, NotFound, Conflict, Forbidden */
export type Decide = (from: Decision) => PartChange | Promise<PartChange>;

/** Changes of the parts of load balancers, one at a time for each load balancer: the rows are written and held,
 *  and a task makes the data plane follow. */
export class PartService {
  readonly #providers: DataPlanes;

  constructor(providers: DataPlanes) {
    this.#providers = providers;
  }

  /** Changes parts of the load balancer that a part belongs to.
   *  @throws NotFound for the part, and like `change` */
  async changePart(ctx: RegionContext, part: PartRef, decide: Decide): Promise<TaskRef> {
    const where = { id: part.id, ...ctx.scope };
    const owner = await readOwner(ctx.db, part.kind, where);
    if (owner === undefined) throw new NotFound(`${KINDS[part.kind].noun} ${part.id} was not found`);
    return this.change(ctx, owner, decide);
  }

  /** @throws NotFound, Conflict naming the task that holds the load balancer, Forbidden, and what `decide` throws */
  async change(ctx: RegionContext, loadBalancerId: string, decide: Decide): Promise<TaskRef> {
    await this.#providers.require(ctx.region);
    return ctx.db.transaction(async (tx) => {
      const loadBalancer = await lockLoadBalancer(tx, loadBalancerId, ctx.scope);
      requireTransition(loadBalancer, 'PENDING_UPDATE');
      const tree = await readTree(tx, loadBalancerId);
      if (!tree) throw new NotFound(`Load balancer ${loadBalancerId} was not found`);
      const taskId = ctx.ids.uuid();
      const rows = new NewRows({ ids: ctx.ids, clock: ctx.clock, taskId, loadBalancer });
      const change = await decide({ tree, rows, tx });
      const subject = { ...change.subject, parent: { id: tree.id, name: tree.name } };
      const more = change.data ? { data: change.data } : {};
      if (changesNothing(rows, change)) {
        if (tree.provisioning_status !== 'ERROR') {
          return startNothing(tx, ctx, taskFor(ctx, change.task, subject, more), change.created);
        }
        // Nothing to write, and everything to make true again.
        await hold(tx, { id: tree.id, taskId }, []);
        const input: UpdateInput = { previous: settingsOf(tree), version: tree.version + 1 };
        return startFor(tx, ctx, 'update_loadbalancer', tree, { id: taskId, input: { ...input } });
      }
      refuseTooMany(rows, tree, change.removals);
      await connectMembers(tx, rows, loadBalancer.preferred_connectivity);
      refuseUnreachable(this.#providers.of(ctx.region.id), membersAfter(tree, rows, change));
      const created = await write(tx, { tree, rows, taskId, timestamp: ctx.clock.timestamp() }, change);
      await refuseUnservable(tx, this.#providers.of(ctx.region.id), loadBalancerId);
      const input: ChangeInput = { loadBalancerId, version: tree.version + 1, created };
      return startFor(tx, ctx, change.task, subject, { ...more, id: taskId, input: { ...input } });
    });
  }
}

/** The members that are new or change, as they will be. */
function membersAfter(tree: LoadBalancerTree, rows: NewRows, { updates }: PartChange) {
  const changed = (updates?.member ?? []).flatMap(({ id, set }) => {
    const row = tree.members.find((each) => each.id === id);
    return row ? [{ ...row, ...set }] : [];
  });
  return [...rows.of.member, ...changed];
}

function changesNothing(rows: NewRows, { updates = {}, removals = [] }: PartChange): boolean {
  const patches = Object.values(updates).flat();
  return (
    Object.values(rows.of).every((added) => added.length === 0) &&
    patches.every(({ set }) => Object.keys(set).length === 0) &&
    removals.length === 0
  );
}

interface Write {
  readonly tree: LoadBalancerTree;
  readonly rows: NewRows;
  readonly taskId: string;
  readonly timestamp: string;
}

/** @returns what the task will have created */
async function write(
  tx: Tx,
  { tree, rows, taskId, timestamp }: Write,
  { updates = {}, removals = [], created = {} }: PartChange,
): Promise<Created> {
  const held = new Map<string, HeldPart>();
  const holdAbove = (kind: PartKind, row: { readonly id: string }) => {
    for (const part of partsAbove(tree, kind, row)) held.set(part.id, { ...part, status: 'PENDING_UPDATE' });
  };
  const all: Created = { ...created };
  for (const [kind, { created: key, rows: rowsOf }] of ALL_KINDS) {
    const inserted = rows.of[kind];
    const patches = updates[kind] ?? [];
    if (inserted.length > 0) await insertParts(tx, kind, inserted);
    if (inserted.length > 0) all[key] = [...inserted.map(({ id }) => id), ...(all[key] ?? [])];
    await updateParts(tx, kind, updates, { id: tree.id, taskId, timestamp });
    const changed = new Set(patches.map(({ id }) => id));
    for (const row of [...inserted, ...rowsOf(tree).filter(({ id }) => changed.has(id))]) {
      holdAbove(kind, row);
    }
  }
  for (const part of removals) {
    const row = KINDS[part.kind].rows(tree).find(({ id }) => id === part.id);
    if (row) holdAbove(part.kind, row);
  }
  for (const part of removals.flatMap((removal) => withBelongings(tree, removal))) {
    held.set(part.id, { ...part, status: 'PENDING_DELETE' });
  }
  await hold(tx, { id: tree.id, taskId }, [...held.values()]);
  return all;
}

/** The part with this id, which a client may have written in capitals.
 *  @throws NotFound */
export function partOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  id: string,
  noun: string,
): Row {
  const row = rows.find((each) => each.id === id.toLowerCase());
  if (!row) throw new NotFound(`${noun} ${id} was not found`);
  return row;
}

/** Those new values of columns that can change which differ from what the row has; undefined: it stays. */
export function differing<Kind extends PartKind>(
  kind: Kind,
  row: PartRows[Kind],
  set: { readonly [Column in keyof Changes<Kind>]: Changes<Kind>[Column] | undefined },
): Changes<Kind> {
  const entries = CHANGED_COLUMNS[kind].flatMap((column) => {
    const value = Reflect.get(set, column);
    return value === undefined || isDeepStrictEqual(Reflect.get(row, column), value) ? [] : [[column, value]];
  });
  return Object.fromEntries(entries);
}

/** Where what a body names must be found. */
export const scopeOf = ({ project_id, region_id }: LoadBalancerTree) => ({
  projectId: project_id,
  regionId: region_id,
});
