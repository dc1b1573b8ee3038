import { offsetTime } from '../../../kernel/codecs.ts';
import { macAddressOf } from '../../../kernel/mac.ts';
import { type StoredTags, viewTags } from '../../../platform/http/tags.ts';
import type { PortRow } from './model.ts';

/** What of a port is shown. */
export function viewPort(row: PortRow) {
  const changeable = row.managed_by === 'user';
  return {
    id: row.id,
    network_id: row.network_id,
    mac_address: macAddressOf(row.id),
    ip_assignments: row.ip_assignments.map(({ ip_address, subnet_id }) => ({ ip_address, subnet_id })),
    attached_to:
      row.device_type === null
        ? null
        : { resource_id: row.device_id, resource_type: row.device_type, trunk: null },
    managed_by: row.managed_by,
    capabilities: {
      allowed_address_pairs: changeable,
      port_security: changeable,
      security_groups: changeable,
    },
    port_security_enabled: row.port_security_enabled,
    security_group_ids: [...row.security_group_ids],
    allowed_address_pairs: row.allowed_address_pairs.map(({ ip_address }) => ({ ip_address })),
    tags: plain(row.tags, false),
    system_tags: plain(row.tags, true),
    metadata: viewTags(row.tags),
    created_at: offsetTime(row.created_at),
    updated_at: offsetTime(row.updated_at),
  };
}

function plain(tags: StoredTags, readOnly: boolean): Record<string, string> {
  const those = Object.entries(tags).filter(([, tag]) => tag.read_only === readOnly);
  return Object.fromEntries(those.map(([key, { value }]) => [key, value]));
}
