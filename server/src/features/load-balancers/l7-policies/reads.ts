import { NotFound } from '../../../kernel/errors.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import { listOf, pick } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { L7PolicyRow, L7RuleRow } from '../model.ts';
import { listParts, readPart } from '../parts/list-store.ts';
import type { PolicyListQuery } from './schema.ts';

interface ListedPolicy extends Omit<L7PolicyRow, 'admin_state_up'> {
  readonly task_id: string | null;
  /** Ids of its rules, in the order in which they were made. */
  readonly rules: readonly string[];
}

interface ListedRule extends Omit<L7RuleRow, 'admin_state_up'> {
  readonly task_id: string | null;
}

const STATES = sql`t.operating_status, t.provisioning_status, t.task_id`;

const POLICY_FIELDS = [
  'listener_id',
  'name',
  'action',
  'position',
  'redirect_url',
  'redirect_prefix',
  'redirect_pool_id',
  'redirect_http_code',
  'tags',
] as const;
const RULE_FIELDS = ['type', 'compare_type', 'key', 'value', 'invert', 'tags'] as const;

const POLICIES = {
  table: 'lb_l7_policies',
  columns: sql`t.id, ${listOf(POLICY_FIELDS, 't')}, ${STATES},
    coalesce((select jsonb_agg(r.id order by r.created_at, r.id) from lb_l7_rules r where r.policy_id = t.id), '[]')
      as rules`,
};

const RULES = {
  table: 'lb_l7_rules',
  columns: sql`t.id, t.policy_id, ${listOf(RULE_FIELDS, 't')}, ${STATES}`,
};

export async function listPolicies(ctx: RegionContext, query: PolicyListQuery) {
  const { limit, offset } = query;
  const page = await listParts<ListedPolicy>(ctx.db, POLICIES, {
    ...ctx.scope,
    conditions: [],
    limit,
    offset,
  });
  return viewPage(page, (row) => viewPolicy(row, ctx));
}

async function readPolicy(ctx: RegionContext, id: string): Promise<ListedPolicy> {
  const row = await readPart<ListedPolicy>(ctx.db, POLICIES, { ...ctx.scope, id });
  if (!row) throw new NotFound(`L7 policy ${id} was not found`);
  return row;
}

/** @throws NotFound */
export async function getPolicy(ctx: RegionContext, id: string) {
  return viewPolicy(await readPolicy(ctx, id), ctx);
}

/** @throws NotFound for the policy */
export async function listRules(ctx: RegionContext, policyId: string, query: PolicyListQuery) {
  const { id } = await readPolicy(ctx, policyId);
  const { limit, offset } = query;
  const page = await listParts<ListedRule>(ctx.db, RULES, {
    ...ctx.scope,
    conditions: [sql`policy_id = ${id}::uuid`],
    limit,
    offset,
  });
  return viewPage(page, (row) => viewRule(row, ctx));
}

/** @throws NotFound */
export async function getRule(ctx: RegionContext, policyId: string, id: string) {
  const row = await readPart<ListedRule>(ctx.db, RULES, { ...ctx.scope, id });
  if (row?.policy_id !== policyId.toLowerCase()) {
    throw new NotFound(`L7 rule ${id} was not found in L7 policy ${policyId}`);
  }
  return viewRule(row, ctx);
}

const scopeOf = ({ project, region }: RegionContext) => ({
  project_id: project.id,
  region_id: region.id,
  region: region.name,
});

/** What is shown of a policy or rule: where it is, what it is, and its state. */
const viewPart = <Shown extends object>(
  row: ListedPolicy | ListedRule,
  ctx: RegionContext,
  shown: Shown,
) => ({
  id: row.id,
  ...scopeOf(ctx),
  ...shown,
  operating_status: row.operating_status,
  provisioning_status: row.provisioning_status,
  task_id: row.task_id,
});

function viewPolicy(row: ListedPolicy, ctx: RegionContext) {
  return viewPart(row, ctx, {
    ...pick(row, POLICY_FIELDS),
    rules: row.rules.map((id) => ({ id, ...scopeOf(ctx) })),
  });
}

function viewRule(row: ListedRule, ctx: RegionContext) {
  return viewPart(row, ctx, pick(row, RULE_FIELDS));
}
