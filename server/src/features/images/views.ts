import { offsetTime } from '../../kernel/codecs.ts';
import { viewMetadata, viewTags } from '../../platform/http/tags.ts';
import type { ImageRow } from './model.ts';

const GIB = 1024 ** 3;

/** What of an image is shown. Nothing here has a price.
 *  @param projectId of the path: the wire asks for one also where an image belongs to none */
export function viewImage(row: ImageRow, region: string, projectId: number) {
  return {
    id: row.id,
    project_id: row.project_id ?? projectId,
    region_id: row.region_id,
    region,
    name: row.name,
    description: row.description,
    status: row.status,
    visibility: row.project_id === null ? 'public' : 'shared',
    architecture: row.architecture,
    os_type: row.os_type,
    os_distro: row.os_distro,
    os_version: row.os_version,
    disk_format: row.disk_format,
    min_disk: row.min_disk,
    min_ram: row.min_ram,
    size: row.size === null ? null : row.size * GIB,
    ssh_key: row.ssh_key,
    hw_firmware_type: row.hw_firmware_type,
    hw_machine_type: row.hw_machine_type,
    is_baremetal: row.is_baremetal,
    display_order: row.display_order,
    gpu_driver: null,
    gpu_driver_type: null,
    gpu_driver_version: null,
    currency_code: null,
    price_per_hour: null,
    price_per_month: null,
    price_status: null,
    tags: viewTags(row.tags),
    tags_v2: viewTags(row.tags),
    metadata: viewMetadata(row.tags),
    metadata_detailed: viewTags(row.tags),
    task_id: row.task_id,
    creator_task_id: row.creator_task_id,
    created_at: offsetTime(row.created_at),
    updated_at: offsetTime(row.updated_at),
  };
}
