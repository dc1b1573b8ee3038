import { offsetTime } from '../../kernel/codecs.ts';
import { viewMetadata, viewTags } from '../../platform/http/tags.ts';
import { viewChanges, viewScoped } from '../../platform/http/views.ts';
import type { VolumeView } from './list-store.ts';
import { PERFORMANCE } from './model.ts';

/** What of a volume is shown. */
export function viewVolume(row: VolumeView, region: string) {
  const tags = viewTags(row.tags);
  return viewScoped(row, region, {
    name: row.name,
    size: row.size,
    volume_type: row.type,
    status: row.status,
    bootable: row.bootable,
    is_root_volume: row.boot_index === 0,
    attachments: row.instance_id === null ? [] : [viewAttachment(row)],
    volume_image_metadata: row.image_metadata,
    limiter_stats: PERFORMANCE[row.type],
    snapshot_ids: row.snapshot_ids,
    tags,
    metadata: viewMetadata(row.tags),
    metadata_detailed: tags,
    ...viewChanges(row),
  });
}

function viewAttachment(row: VolumeView) {
  return {
    attachment_id: row.attachment_id,
    volume_id: row.id,
    server_id: row.instance_id,
    instance_name: row.instance_name,
    flavor_id: row.flavor_id,
    device: row.device,
    attached_at: row.attached_at === null ? null : offsetTime(row.attached_at),
  };
}
