import { requireFree } from '../../platform/database/held-table.ts';
import type { ImageSource } from '../volumes/index.ts';
import { keepImages } from './store.ts';

/** Images as volumes see them. */
export const imageSource: ImageSource = {
  async find(tx, ids, scope) {
    const rows = await keepImages(tx, ids, scope);
    for (const row of rows) requireFree('Image', row);
    return new Map(
      rows.map((row) => {
        const metadata = {
          image_id: row.id,
          image_name: row.name,
          os_type: row.os_type,
          os_distro: row.os_distro,
          os_version: row.os_version,
          architecture: row.architecture,
          disk_format: row.disk_format,
          min_disk: String(row.min_disk),
          min_ram: String(row.min_ram),
        };
        const { id, name, status, status_reason, min_disk: minDisk, min_ram: minRam } = row;
        return [id, { id, name, status, status_reason, minDisk, minRam, metadata }];
      }),
    );
  },
};
