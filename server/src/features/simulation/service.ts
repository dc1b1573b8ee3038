import { zuluTime } from '../../kernel/codecs.ts';
import { Forbidden, NotFound, UnknownRegion } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { readRegion } from '../regions/index.ts';
import { FAULT_KINDS, kindFault, NODE_KINDS } from './kinds.ts';
import { checkRule, type FaultRule } from './rules.ts';
import * as store from './store.ts';

const KINDS = [...FAULT_KINDS, ...NODE_KINDS];

type NewFault = FaultRule & { readonly kind: string };

/** Adds an unknown kind and a contradiction. */
export function checkNewFault({ kind, ...rule }: Partial<NewFault>, faults: Faults): void {
  const unknown = kind === undefined ? undefined : kindFault(kind, KINDS);
  if (unknown) faults.add('kind', unknown);
  faults.try(() => checkRule(rule));
}

/** Faults that count attempts, in regions that are simulated. */
export class SimulationService {
  /** @throws NotFound for an unknown region, Forbidden where work is real */
  async list(ctx: RequestContext, regionId: number) {
    await requireSimulated(ctx, regionId);
    const rows = await store.listFaults(ctx.db, regionId);
    return { count: rows.length, results: rows.map(view), kinds: KINDS };
  }

  /** @throws Invalid for an unknown kind or a contradiction, NotFound, Forbidden */
  async add(ctx: RequestContext, regionId: number, { kind, ...rule }: NewFault) {
    await requireSimulated(ctx, regionId);
    const faults = new Faults();
    checkNewFault({ kind, ...rule }, faults);
    faults.refuse();
    const row = { id: ctx.ids.uuid(), region_id: regionId, source: 'call' as const, kind, rule };
    await ctx.db.transaction(async (tx) => {
      await store.insertFault(tx, row, ctx.clock.timestamp());
      await recordAudit(tx, ctx, { action: 'set_simulated_fault', subject: row.id });
    });
    return view({ ...row, created_at: ctx.clock.now(), attempts: 0, struck: 0 });
  }

  /** @throws NotFound, Forbidden */
  async clear(ctx: RequestContext, regionId: number, id?: string): Promise<void> {
    await requireSimulated(ctx, regionId);
    await ctx.db.transaction(async (tx) => {
      const cleared = await store.deleteFaults(tx, regionId, id);
      if (id !== undefined && cleared === 0) throw new NotFound(`Region ${regionId} has no fault ${id}`);
      await recordAudit(tx, ctx, { action: 'clear_simulated_faults', subject: id ?? regionId });
    });
  }
}

async function requireSimulated(ctx: RequestContext, regionId: number): Promise<void> {
  const region = await readRegion(ctx.db, regionId);
  if (!region) throw new UnknownRegion(regionId);
  if (region.provider !== 'simulated') {
    throw new Forbidden(`Region ${region.display_name} is not simulated: what fails there fails by itself`);
  }
}

function view({ id, source, kind, rule, attempts, struck, created_at }: store.CountedFault) {
  return { id, source, kind, ...rule, attempts, struck, created_at: zuluTime(created_at) };
}
