import { UnknownRegion } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { ClientContext, RequestContext } from '../../platform/http/context.ts';
import { checkRegion, readRegion, readRegions } from '../regions/index.ts';
import {
  type Amounts,
  DEPRECATED_REGIONAL_NAME,
  defaultLimit,
  GLOBAL_NAMES,
  GLOBAL_REGION,
  type QuotaName,
  REGIONAL_NAMES,
} from './model.ts';
import type { Limits } from './schema.ts';
import { readCounters, setLimits } from './store.ts';

type Counters = Awaited<ReturnType<typeof readCounters>>;

/** `{<name>_limit, <name>_usage}` for each name. */
function viewQuotas(
  counters: Counters,
  regionId: number,
  names: readonly QuotaName[],
): Record<string, number> {
  const known = new Map(counters.filter((row) => row.region_id === regionId).map((row) => [row.name, row]));
  return Object.fromEntries(
    names.flatMap((name) => {
      const row = known.get(name);
      return [
        [`${name}_limit`, row?.quota_limit ?? defaultLimit(name)],
        [`${name}_usage`, row?.usage ?? 0],
      ];
    }),
  );
}

const viewGlobal = (counters: Counters) => viewQuotas(counters, GLOBAL_REGION, GLOBAL_NAMES);

const viewRegional = (counters: Counters, regionId: number) => ({
  region_id: regionId,
  ...viewQuotas(counters, regionId, [...REGIONAL_NAMES, DEPRECATED_REGIONAL_NAME]),
});

/** All quotas of a client, for every region. */
export async function getQuotas(ctx: RequestContext, clientId: number) {
  const [counters, regions] = await Promise.all([readCounters(ctx.db, clientId), readRegions(ctx.db)]);
  return {
    global_quotas: viewGlobal(counters),
    regional_quotas: regions.map(({ id }) => viewRegional(counters, id)),
  };
}

export async function getGlobalQuotas(ctx: ClientContext) {
  return viewGlobal(await readCounters(ctx.db, ctx.clientId));
}

/** @throws NotFound for an unknown region */
export async function getRegionalQuotas(ctx: ClientContext, regionId: number) {
  if (!(await readRegion(ctx.db, regionId))) throw new UnknownRegion(regionId);
  return viewRegional(await readCounters(ctx.db, ctx.clientId), regionId);
}

/** Changes limits of a client (operators only) and answers with all its quotas.
 *  @throws Invalid naming what makes no sense */
export async function changeLimits(ctx: ClientContext, limits: Limits) {
  await checkLimits(ctx, limits, '');
  await ctx.db.transaction(async (tx) => {
    await applyLimits(tx, ctx.clientId, limits);
    await recordAudit(tx, ctx, { action: 'set_quota_limits', subject: ctx.clientId });
  });
  return getQuotas(ctx, ctx.clientId);
}

/** @param prefix of the field names in the error
 *  @throws Invalid when nothing is named, or a region is missing, unknown or named twice */
export async function checkLimits(ctx: RequestContext, limits: Limits, prefix: string): Promise<void> {
  const known = (await readRegions(ctx.db)).map(({ id }) => id);
  const seen = new Set<number>();
  const faults = new Faults();
  for (const [index, { region_id: id }] of (limits.regional_limits ?? []).entries()) {
    const field = `${prefix}regional_limits.${index}.region_id`;
    if (id === undefined) faults.add(field, 'is required');
    else if (seen.has(id)) faults.add(field, `region ${id} is given twice`);
    else checkRegion(id, known, field, faults);
    if (id !== undefined) seen.add(id);
  }
  if (!faults.any && limitsByRegion(limits).length === 0)
    faults.add(prefix.slice(0, -1) || 'body', 'must name at least one limit');
  faults.refuse();
}

export async function applyLimits(tx: Tx, clientId: number, limits: Limits): Promise<void> {
  for (const { regionId, amounts } of limitsByRegion(limits)) {
    await setLimits(tx, { clientId, regionId }, amounts);
  }
}

/** `<name>_limit` fields as amounts by name; regions without any are left out. */
function limitsByRegion(limits: Limits): { regionId: number; amounts: Amounts }[] {
  const amountsOf = (fields: Readonly<Record<string, number>>): Amounts =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([field]) => field !== 'region_id')
        .map(([field, value]) => [field.slice(0, -'_limit'.length), value]),
    );
  const all = [
    { regionId: GLOBAL_REGION, amounts: amountsOf((limits.global_limits ?? {}) as Record<string, number>) },
    ...(limits.regional_limits ?? []).map((fields) => ({
      regionId: fields.region_id ?? GLOBAL_REGION,
      amounts: amountsOf(fields as Record<string, number>),
    })),
  ];
  return all.filter(({ amounts }) => Object.keys(amounts).length > 0);
}
