import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { Conflict } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { ClientContext, RequestContext } from '../../platform/http/context.ts';
import { lookAnewAtLoadBalancers } from '../load-balancers/index.ts';
import type { InsertProject } from '../projects/index.ts';
import { GLOBAL_REGION, reserve } from '../quotas/index.ts';
import type {
  CreateOperatorClient,
  OperatorClientQuery,
  SuspendClient,
  UpdateOperatorClient,
} from './schema.ts';
import * as store from './store.ts';

export const viewClient = (row: store.ClientRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  status: row.status,
  created_at: offsetTime(row.created_at),
  suspended_at: nullable(offsetTime)(row.suspended_at),
  suspend_reason: row.suspend_reason,
  data_planes: row.data_planes_stopped ? ('stopped' as const) : ('running' as const),
  task_id: row.task_id,
});

/** Its name is what operators find it by. */
export function checkName(
  { name }: { readonly name?: string | undefined },
  faults: Faults,
  field = 'name',
): void {
  if (name !== undefined && !/[^\p{C}\p{Z}]/u.test(name))
    faults.add(field, 'must have a letter, a digit or a sign that can be seen');
}

function requireName(input: { readonly name?: string | undefined }, field?: string): void {
  const faults = new Faults();
  checkName(input, faults, field);
  faults.refuse();
}

/** A client starts with a default project.
 *  @param field of the body that has the name
 *  @throws Invalid */
export async function createClient(
  ctx: RequestContext,
  input: CreateOperatorClient,
  insertProject: InsertProject,
  field = 'name',
) {
  requireName(input, field);
  return ctx.db.transaction(async (tx) => {
    const timestamp = ctx.clock.timestamp();
    const row = await store.insertClient(tx, { name: input.name, email: input.email, timestamp });
    await insertProject(tx, {
      clientId: row.id,
      name: 'Default',
      description: null,
      isDefault: true,
      timestamp,
    });
    await record(tx, { ...ctx, clientId: row.id }, 'create_client', row.name);
    await reserve(tx, { clientId: row.id, regionId: GLOBAL_REGION }, { project_count: 1 });
    return viewClient(row);
  });
}

const record = (tx: Tx, ctx: ClientContext, action: string, name: string) =>
  recordAudit(tx, ctx, { action, subject: ctx.clientId, name });

export async function listClients(ctx: RequestContext, query: OperatorClientQuery) {
  return viewPage(await store.listClients(ctx.db, query), viewClient);
}

/** @throws NotFound */
export async function getClient(ctx: ClientContext) {
  return ctx.db.transaction(async (tx) => {
    const row = await store.readClient(tx, ctx.clientId);
    await record(tx, ctx, 'read_client', row.name);
    return viewClient(row);
  });
}

/** What is not given stays.
 *  @throws Invalid, NotFound, Locked while it is deleted */
export function updateClient(ctx: ClientContext, input: UpdateOperatorClient) {
  requireName(input);
  return changed(ctx, 'update_client', (tx, row) =>
    store.updateClient(tx, row.id, { name: input.name ?? row.name, email: input.email ?? row.email }),
  );
}

/** From then on nobody signs in, no token counts, and nothing is changed; suspending it again replaces reason and data
 *  planes.
 *  @throws NotFound, Locked while it is deleted, Conflict for the client whose token the cloud is run with */
export const suspendClient = (ctx: ClientContext, input: SuspendClient) =>
  changed(ctx, 'suspend_client', async (tx, row) => {
    await refuseOwn(tx, row.id, 'suspended');
    const at = row.suspended_at?.toISOString() ?? ctx.clock.timestamp();
    const stopped = input.data_planes === 'stopped';
    await store.setSuspension(tx, row.id, { at, reason: input.reason, stopped });
    await lookAnewAtLoadBalancers(tx, row.id);
  });

/** @throws NotFound, Locked while it is deleted, Conflict when it is not suspended */
export const resumeClient = (ctx: ClientContext) =>
  changed(ctx, 'resume_client', async (tx, row) => {
    if (row.suspended_at === null) throw new Conflict(`Client ${row.id} is not suspended`);
    await store.setSuspension(tx, row.id, null);
    await lookAnewAtLoadBalancers(tx, row.id);
  });

/** @throws Conflict */
export async function refuseOwn(tx: Tx, id: number, what: 'suspended' | 'deleted'): Promise<void> {
  if (!(await store.runsTheCloud(tx, id))) return;
  throw new Conflict(
    `Client ${id} has an operator token or the token of an edge, with which the cloud is run: it cannot be ${what}`,
  );
}

function changed(ctx: ClientContext, action: string, work: (tx: Tx, row: store.ClientRow) => Promise<void>) {
  return ctx.db.transaction(async (tx) => {
    const row = await store.lockClient(tx, ctx.clientId);
    requireFree('Client', row);
    await work(tx, row);
    await record(tx, ctx, action, row.name);
    return viewClient(await store.readClient(tx, row.id));
  });
}
