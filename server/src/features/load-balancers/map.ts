import { sql } from '../../platform/database/sql.ts';
import { type MapSource, WITH_ONE_MORE } from '../../platform/map/source.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly region_id: number;
  readonly address: string | null;
  readonly status: string;
  readonly task_id: string | null;
  readonly listeners: number;
}
interface PoolRow {
  readonly id: string;
  readonly load_balancer_id: string;
  readonly name: string;
  readonly region_id: number;
  readonly status: string;
  readonly task_id: string | null;
  /** Members, and those that are well. */
  readonly members: number;
  readonly well: number;
  readonly instances: readonly string[];
}

/** Load balancers with their pools; the members of a pool are one node, unless they are instances. */
export const mapOfBalancers: MapSource = async (db, { projectId }) => {
  const balancers =
    await db.rows<Row>(sql`select lb.id, lb.name, lb.region_id, host(lb.vip_address) as address, lb.task_id,
            case lb.provisioning_status when 'ACTIVE' then lb.operating_status else lb.provisioning_status end as status,
            (select count(*)::int from lb_listeners l where l.load_balancer_id = lb.id) as listeners
       from load_balancers lb where lb.project_id = ${projectId} order by lb.created_at desc, lb.id limit ${WITH_ONE_MORE}`);
  const ids = sql`${balancers.map(({ id }) => id)}::uuid[]`;
  const pools = await db.rows<PoolRow>(sql`
    select p.id, p.load_balancer_id, p.name, p.region_id, p.operating_status as status, p.task_id,
            count(m.id)::int as members,
            count(m.id) filter (where m.operating_status in ('ONLINE', 'NO_MONITOR'))::int as well,
            coalesce(array_agg(distinct m.instance_id) filter (where m.instance_id is not null), '{}') as instances
       from lb_pools p left join lb_members m on m.pool_id = p.id
      where p.load_balancer_id = any(${ids})
      group by p.id order by array_position(${ids}, p.load_balancer_id), p.created_at, p.id
     limit ${WITH_ONE_MORE}`);
  return {
    nodes: [
      ...balancers.map(({ id, name, region_id, address, status, task_id, listeners }) => ({
        kind: 'load_balancer',
        id,
        name,
        detail: address ?? 'no address yet',
        regionId: region_id,
        taskId: task_id,
        status: status === 'ONLINE' && listeners === 0 ? 'No listeners' : status,
      })),
      ...pools.flatMap((pool) => [poolNode(pool), ...membersNode(pool)]),
    ],
    edges: pools.flatMap(({ id, load_balancer_id, instances, members }) => [
      { from: load_balancer_id, to: id },
      ...(members > instances.length ? [{ from: id, to: `${id} members` }] : []),
      ...instances.map((to) => ({ from: id, to })),
    ]),
  };
};

const poolNode = ({ id, load_balancer_id, name, region_id, status, task_id, members, well }: PoolRow) => ({
  kind: 'pool',
  id,
  name,
  detail: `${well} of ${members} online`,
  regionId: region_id,
  status,
  taskId: task_id,
  partOf: load_balancer_id,
});

function membersNode({ id, load_balancer_id, region_id, members, well, instances }: PoolRow) {
  const others = members - instances.length;
  if (others <= 0) return [];
  const status = well === members ? 'ONLINE' : well === 0 ? 'ERROR' : 'DEGRADED';
  const name = others === 1 ? '1 member' : `${others} members`;
  return [
    {
      kind: 'members',
      id: `${id} members`,
      name,
      detail: `${well} of ${members} online`,
      regionId: region_id,
      status,
      taskId: null,
      partOf: load_balancer_id,
    },
  ];
}
