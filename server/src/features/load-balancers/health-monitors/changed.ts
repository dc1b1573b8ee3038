import type { HealthMonitorRow } from '../model.ts';
import type { HealthMonitorType } from '../port.ts';
import type { HealthMonitorInput, UpdateHealthMonitor } from './schema.ts';

const OF_HTTP = ['http_method', 'http_version', 'url_path', 'domain_name', 'expected_codes'] as const;
const speaksHttp = (type: HealthMonitorType) => type === 'HTTP' || type === 'HTTPS';

/** The monitor after a change: what the change leaves out stays, unless the new type has no use for it. */
export function changedMonitor(row: HealthMonitorRow, change: UpdateHealthMonitor): HealthMonitorInput {
  const type = change.type ?? row.type;
  const kept = Object.fromEntries(OF_HTTP.map((field) => [field, speaksHttp(type) ? row[field] : null]));
  return {
    max_retries_down: row.max_retries_down,
    admin_state_up: row.admin_state_up,
    ...kept,
    ...change,
    type,
  };
}
