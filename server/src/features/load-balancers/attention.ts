import { type Attention, type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly region_id: number;
  readonly provisioning_status: string;
  readonly operating_status: string;
  readonly updated_at: Date | null;
}

/** Load balancers that answer not everybody, or nobody. */
export const balancersInNeed: AttentionSource = async (db, { projectId }) => {
  const rows =
    await db.rows<Row>(sql`select lb.id, lb.name, lb.region_id, lb.provisioning_status, lb.operating_status, lb.updated_at
       from load_balancers lb
      where lb.project_id = ${projectId} and lb.admin_state_up and (lb.operating_status in ('ERROR', 'DEGRADED', 'OFFLINE')
         or lb.provisioning_status = 'ERROR' or (lb.provisioning_status = 'ACTIVE'
            and not exists (select from lb_listeners l where l.load_balancer_id = lb.id)))
      order by lb.operating_status, lb.id limit ${MOST_OF_ONE}`);
  return rows.map((row) => ({
    kind: 'load_balancer',
    id: row.id,
    name: row.name,
    regionId: row.region_id,
    since: row.updated_at,
    ...wrongWith(row),
  }));
};

function wrongWith(row: Row): Pick<Attention, 'severity' | 'reason'> {
  if (row.provisioning_status === 'ERROR') {
    return { severity: 'failed', reason: 'Its last change failed: it may not be as you want it' };
  }
  switch (row.operating_status) {
    case 'ERROR':
      return { severity: 'failed', reason: 'None of its servers answers: visitors get errors' };
    case 'OFFLINE':
      return { severity: 'failed', reason: 'It is not running' };
    case 'DEGRADED':
      return { severity: 'degraded', reason: 'Some of its servers do not answer' };
    default:
      return { severity: 'degraded', reason: 'It has no listener: nobody can connect to it' };
  }
}
