import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { DEFAULT_SETTINGS, type Logging, settingsAfter } from './model.ts';
import { type NewRow, NewRows } from './parts/rows.ts';
import type { CreateLoadBalancer, LoggingInput } from './schema.ts';

/** The rows of a load balancer that is about to be created, every default filled in. */
export interface Plan {
  readonly loadBalancer: NewRow;
  readonly parts: NewRows;
}

export interface PlanScope {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly taskId: string;
  readonly clientId: number;
  readonly projectId: number;
  readonly regionId: number;
}

export function planLoadBalancer(input: CreateLoadBalancer, tags: StoredTags, scope: PlanScope): Plan {
  const id = scope.ids.uuid();
  const logging = storedLogging(input.logging, id, scope.regionId);
  const loadBalancer = {
    id,
    project_id: scope.projectId,
    region_id: scope.regionId,
    client_id: scope.clientId,
    ...settingsAfter({ ...DEFAULT_SETTINGS, name: input.name }, input, { tags, logging }),
    flavor: input.flavor ?? null,
    vip_port_id: scope.ids.uuid(),
    task_id: scope.taskId,
    created_at: scope.clock.timestamp(),
  };
  const parts = new NewRows({ ...scope, loadBalancer });
  for (const listener of input.listeners ?? []) parts.addListener(listener);
  return { loadBalancer, parts };
}

/** What is kept of logging: where the topic has no name, it is called after the load balancer, in a word that is
 *  short enough for every collector. */
export function storedLogging(input: LoggingInput | undefined, id: string, regionId: number): Logging | null {
  if (input === undefined) return null;
  const enabled = input.enabled ?? false;
  return {
    enabled,
    destination_region_id: input.destination_region_id ?? (enabled ? regionId : null),
    topic_name: input.topic_name ?? (enabled ? `lb-${id}` : null),
    retention_policy: input.retention_policy ?? null,
  };
}
