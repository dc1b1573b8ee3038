import type { Queryable } from '../../../../platform/database/db.ts';
import { sql } from '../../../../platform/database/sql.ts';
import type { IpAssignment } from '../../ports/index.ts';
import { SHOWN_PORT } from '../../ports/index.ts';
import type { ReservedIpRow } from '../model.ts';

export interface DeviceRow {
  readonly id: string;
  readonly network_id: string;
  readonly instance_id: string;
  readonly instance_name: string;
  readonly ip_assignments: readonly IpAssignment[];
  /** Whether it may have the address. */
  readonly connected: boolean;
}

/** The ports of instances that share the subnet of a reserved fixed IP, or have its address among their pairs; oldest
 *  first. They are found by their network alone. */
export async function readDevices(db: Queryable, reserved: ReservedIpRow): Promise<DeviceRow[]> {
  return db.rows<DeviceRow>(sql`select d.id, d.network_id, d.device_id as instance_id, coalesce(i.name, '') as instance_name, d.ip_assignments,
            d.connected
       from (select ${SHOWN_PORT},
                    p.allowed_address_pairs @> jsonb_build_array(jsonb_build_object('ip_address', ${reserved.ip_address}::text)) as connected
               from ports p
              where p.project_id = ${reserved.project_id} and p.region_id = ${reserved.region_id} and p.network_id = ${reserved.network_id}
                and p.device_type is not distinct from 'instance') d
       left join instances i on i.id = d.device_id
      where d.connected
         or d.ip_assignments @> jsonb_build_array(jsonb_build_object('subnet_id', ${reserved.subnet_id}::text))
      order by d.created_at, d.id`);
}
