import { isIP } from 'node:net';
import { Invalid } from '../../../kernel/errors.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { type Db, sqlStateOf } from '../../../platform/database/db.ts';
import { listPage, type Page, type PageOfTable, type Paging } from '../../../platform/database/list-page.ts';
import { type Sql, sql } from '../../../platform/database/sql.ts';
import { parseOrder } from '../../../platform/http/schemas.ts';
import type { ReservedIpRow } from './model.ts';
import type { ReservedOrderField } from './schema.ts';
import { PORT_OF, SHARED_BY, SHOWN } from './store.ts';

export interface ListWhere extends Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly availableOnly: boolean;
  readonly externalOnly: boolean;
  readonly internalOnly: boolean;
  readonly vipOnly: boolean;
  readonly deviceId?: string | undefined;
  /** An address, or a regular expression. */
  readonly address?: string | undefined;
  readonly order: `${ReservedOrderField}.${'asc' | 'desc'}`;
}

const INVALID_REGULAR_EXPRESSION = '2201B';

/** The page, and how many match in all.
 *  @throws Invalid for a faulty regular expression */
export async function listReservedIps(db: Db, where: ListWhere): Promise<Page<ReservedIpRow>> {
  try {
    return await listPage<ReservedIpRow>(db, pageOf(where));
  } catch (error) {
    if (sqlStateOf(error) !== INVALID_REGULAR_EXPRESSION) throw error;
    throw new Invalid({ ip_address: ['must be an address or a regular expression'] }, 'query');
  }
}

const KEYS: Readonly<Record<ReservedOrderField, string>> = {
  created_at: 'r.created_at',
  fixed_ip_address: 'r.ip_address',
  name: 'r.name',
  // What is in use is ACTIVE, everything else is DOWN.
  status: '(o.device_id is null)',
  updated_at: 'r.updated_at',
};
function pageOf(where: ListWhere): PageOfTable {
  const { field, direction } = parseOrder<ReservedOrderField>(where.order);
  const conditions = conditionsOf(where);
  const own = [
    sql`o.id = r.port_id and o.reserved`,
    sql`o.project_id = ${where.projectId}::int and o.region_id = ${where.regionId}::int`,
  ];
  return {
    // What is ordered by its port is found by its port.
    table: field === 'status' ? 'ports o, reserved_fixed_ips' : 'reserved_fixed_ips',
    alias: 'r',
    key: 'port_id',
    columns: SHOWN,
    joins: sql`left ${PORT_OF}`,
    where: field === 'status' ? [...conditions, ...own] : conditions,
    // Each is found by its index in both directions: what has no address comes first in descending order.
    order: `${KEYS[field]} ${direction}, ${field === 'status' ? 'o.id' : 'r.port_id'} ${direction}`,
    limit: where.limit,
    offset: where.offset,
  };
}

/** That nothing has its port. */
const free = ({ projectId, regionId }: ListWhere): Sql =>
  sql`r.port_id in (select f.id from ports f where f.project_id = ${projectId}::int
    and f.region_id = ${regionId}::int and f.reserved and f.device_id is null)`;
const shared = sql`exists (select ${SHARED_BY})`;

function conditionsOf(where: ListWhere): Sql[] {
  const { projectId, regionId } = where;
  const conditions = [sql`r.project_id = ${projectId}::int`, sql`r.region_id = ${regionId}::int`];
  if (where.availableOnly) {
    conditions.push(free(where), sql`not (r.is_vip and ${shared})`);
  }
  if (where.externalOnly) conditions.push(sql`r.is_external`);
  if (where.internalOnly) conditions.push(sql`not r.is_external`);
  if (where.vipOnly) conditions.push(sql`r.is_vip`);
  if (where.address !== undefined) conditions.push(addressCondition(where.address));
  if (where.deviceId !== undefined) {
    conditions.push(
      isUuid(where.deviceId)
        ? sql`r.port_id in (select id from ports where device_id = ${where.deviceId}::uuid)`
        : sql`false`,
    );
  }
  return conditions;
}

/** An address is that one, whatever its notation; everything else is a regular expression. */
function addressCondition(text: string): Sql {
  return isIP(text) > 0
    ? sql`(r.ip_address = ${text}::inet or r.additional_address = ${text}::inet)`
    : sql`(host(r.ip_address) ~ ${text} or host(r.additional_address) ~ ${text})`;
}
