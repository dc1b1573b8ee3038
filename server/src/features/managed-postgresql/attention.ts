import { type Attention, type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { ClusterRow } from './model.ts';
import { type Phase, phaseOf } from './phases.ts';

const COLUMNS = [
  'id',
  'name',
  'region_id',
  'status',
  'spec',
  'next_spec',
  'restored_from',
  'host',
  'observed',
] as const;
type Row = RowOf<
  'postgresql_clusters',
  typeof COLUMNS,
  Pick<ClusterRow, 'status' | 'spec' | 'next_spec' | 'restored_from' | 'observed'>
>;

const WRONG: Partial<Record<Phase, Pick<Attention, 'severity' | 'reason'>>> = {
  failed: { severity: 'failed', reason: 'It failed: delete it, and restore its backup into another one' },
  down: { severity: 'failed', reason: 'Its server does not answer' },
  closed: { severity: 'failed', reason: 'Its disk is full: it takes no connections' },
  read_only: { severity: 'degraded', reason: 'Its disk is nearly full: it can only be read' },
};

/** Clusters that are not well, or that let nobody in. */
export const clustersInNeed: AttentionSource = async (db, { projectId }) => {
  const rows = await db.rows<Row>(
    sql`select ${listOf(COLUMNS)} from postgresql_clusters where project_id = ${projectId} order by id`,
  );
  return rows.flatMap((row) => wrongWith(row) ?? []).slice(0, MOST_OF_ONE);
};

function wrongWith(row: Row): Attention | undefined {
  const { id, name, region_id: regionId, status, spec, observed } = row;
  const phase = phaseOf(row);
  const lets = status !== 'READY' || spec.acl.length > 0;
  const wrong =
    (phase === 'down' && observed?.fault
      ? ({ severity: 'failed', reason: observed.fault } as const)
      : WRONG[phase]) ??
    (lets
      ? undefined
      : ({ severity: 'degraded', reason: 'Nobody may connect: its access list is empty' } as const));
  return wrong && { kind: 'postgresql_cluster', id, name, regionId, since: null, ...wrong };
}
