import { recordAudit } from '../../platform/audit/audit.ts';
import type { HeldTable } from '../../platform/database/held-table.ts';
import { changeTraits, type Traits } from '../../platform/database/traits.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { patchTags } from '../../platform/http/tags.ts';
import type { UpdateVolume } from './schema.ts';

const KINDS = {
  volume: { table: 'volumes', action: 'update_volume' },
  snapshot: { table: 'volume_snapshots', action: 'update_snapshot' },
} as const;

/** Changes name and tags of a volume or a snapshot at once.
 *  @throws Invalid, NotFound, Locked naming the task that holds it */
export async function updateTraits(
  ctx: RegionContext,
  kind: keyof typeof KINDS,
  { id, lockFree }: { readonly id: string; readonly lockFree: HeldTable<Traits>['lockFree'] },
  input: UpdateVolume,
): Promise<void> {
  const { table, action } = KINDS[kind];
  await ctx.db.transaction(async (tx) => {
    const row = await lockFree(tx, id, ctx.scope);
    const tags = patchTags(row.tags, input.tags);
    const name = input.name ?? row.name;
    await changeTraits(tx, table, { id, name, tags, timestamp: ctx.clock.timestamp() });
    await recordAudit(tx, ctx, { action, subject: id, name, ...ctx.scope });
  });
}
