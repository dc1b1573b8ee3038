import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';
import { DEFAULT_THRESHOLD, GLOBAL_REGION } from './model.ts';

/** Quotas of the account that have reached its threshold. */
export const quotasInNeed: AttentionSource = async (db, { clientId }) => {
  const rows = await db.rows<{
    name: string;
    region_id: number;
    usage: number;
    quota_limit: number;
  }>(sql`select name, region_id, usage, quota_limit from quota_counters
      where client_id = ${clientId} and quota_reached(usage, quota_limit,
        coalesce((select threshold from quota_thresholds where client_id = ${clientId}), ${DEFAULT_THRESHOLD}))
      order by usage::float8 / greatest(quota_limit, 1) desc, region_id, name limit ${MOST_OF_ONE}`);
  return rows.map(({ name, region_id, usage, quota_limit: limit }) => ({
    kind: 'quota',
    id: name,
    name,
    since: null,
    regionId: region_id === GLOBAL_REGION ? null : region_id,
    severity: usage >= limit ? ('failed' as const) : ('degraded' as const),
    reason:
      usage >= limit ? `All ${limit} are in use: no more can be created` : `${usage} of ${limit} are in use`,
  }));
};
