import type { Queryable } from '../../../platform/database/db.ts';

/** The names under which an instance sees its volumes: `/dev/vda`. */
export async function readDevices(db: Queryable, id: string): Promise<string[]> {
  const rows = await db.named<{ device: string }>(
    'instance_devices',
    'select device from volumes where instance_id = $1 and device is not null order by device',
    [id],
  );
  return rows.map(({ device }) => device);
}
