import { pick } from '../../../platform/database/rows.ts';
import { ACTION, type Schedule } from './model.ts';
import type { LifecyclePolicy } from './schema.ts';
import type { PolicyView } from './store.ts';
import { type Timing, UNITS } from './timing.ts';

/** What of a policy is shown. */
export function viewPolicy(row: PolicyView): LifecyclePolicy {
  return {
    id: row.id,
    name: row.name,
    action: ACTION,
    status: row.status,
    project_id: row.project_id,
    region_id: row.region_id,
    user_id: row.user_id,
    schedules: row.schedules.map((schedule) => viewSchedule(schedule, row)),
    volumes: [...row.volumes],
    refusals: [...row.refusals],
  };
}

export const viewSchedule = (schedule: Schedule, policy: Pick<PolicyView, 'id' | 'user_id'>) => ({
  id: schedule.id,
  owner: 'lifecycle_policy' as const,
  owner_id: policy.id,
  user_id: policy.user_id,
  max_quantity: schedule.maxQuantity,
  resource_name_template: schedule.nameTemplate,
  retention_time: schedule.retentionTime,
  ...viewTiming(schedule.timing),
});

/** In the order in which people say it; the database keeps another one. */
const viewTiming = (timing: Timing) => (timing.type === 'cron' ? pick(timing, CRON) : pick(timing, INTERVAL));

const INTERVAL = ['type', ...UNITS] as const;
const CRON = ['type', 'timezone', 'minute', 'hour', 'day', 'month', 'week', 'day_of_week'] as const;
