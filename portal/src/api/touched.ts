import type { Schemas } from '../../../client/src/index.ts';
import { isUuid } from './named.ts';

/** Which answers of the API a task changes, so that nothing else is asked for anew. */

/** What changed without a task, as the stream says it. */
export interface Change {
  /** As the audit log names it; `health` or `counters` of a resource; `unknown`: some may have been missed. */
  readonly action: string;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly noun: string | null;
  readonly id: string | null;
}

type Task = Pick<
  Schemas['Task'],
  'task_type' | 'state' | 'data' | 'created_resources' | 'project_id' | 'region_id'
>;

/** Words of the type of a task, the paths of its own noun, and those of others that it changes. The first that fits
 *  counts. */
const NOUNS: readonly (readonly [type: RegExp, own: RegExp, others?: RegExp])[] = [
  [
    /loadbalancer|lblistener|lbpool|lbmember|l7|ddos/,
    /loadbalancers|lblisteners|lbpools|l7policies/,
    /floatingips|reserved_fixed_ips|ports|secrets/,
  ],
  [/k8s/, /k8s/, /instances|volumes|ports|networks|loadbalancers/],
  [/dbaas|postgres/, /dbaas|postgresql/],
  [/storage/, /^\/storage/],
  [/reserved_fixed_ip/, /reserved_fixed_ips/, /ports|networks|subnets/],
  [/fip|floating/, /floatingips/, /loadbalancers|instances|ports|networks/],
  [/security_group/, /security_?groups/, /ports|instances/],
  [/network|subnet|router/, /networks|subnets|routers/, /ports|floatingips|reserved_fixed_ips/],
  [/servergroup/, /servergroups/, /instances/],
  [/snapshot/, /snapshots/, /volumes|lifecycle_policy/],
  [/image/, /images/, /volumes/],
  [/volume/, /volumes/, /snapshots|instances|lifecycle_policy|images/],
  [
    /vm|interface|instance/,
    /instances/,
    /volumes|ports|floatingips|reserved_fixed_ips|servergroups|security_?groups|networks/,
  ],
  [/port/, /ports/, /instances|networks/],
  [/secret/, /secrets/],
  [/project/, /projects/],
  [/^notification$/, /^\/virga\/v1\/notifications/],
];
/** Of every task, and what operators watch. */
const TASKS =
  /^\/cloud\/v1\/tasks|user_actions|^\/virga\/v1\/(attention|map|simulation|nodes|webhook|outbox)/;
/** What says how the resources of a project are. */
const HEALTH = /^\/virga\/v1\/(attention|map)/;
/** What is counted when a task has ended. */
const COUNTED = /quota|limits|usage/;

/** Whether the answer to a query may be another one after what was heard of a task.
 *  @param key of a query of the API: its method, its path and its parameters */
export function isTouched(key: readonly unknown[], task: Task): boolean {
  const hasEnded = task.state === 'FINISHED' || task.state === 'ERROR';
  const [, path, init] = key;
  if (typeof path !== 'string' || !path.startsWith('/')) return hasEnded;
  if (TASKS.test(path)) return true;
  if (COUNTED.test(path)) return hasEnded;
  const params = paramsOf(init);
  if (isElsewhere(params.project_id, task.project_id) || isElsewhere(params.region_id, task.region_id))
    return false;
  const [, own, others] = NOUNS.find(([type]) => type.test(task.task_type)) ?? [];
  if (!own) return true;
  if (!own.test(path)) return others?.test(path) ?? false;
  const requested = Object.values(params).filter((value) => isUuid(String(value)));
  const ids = idsOf(task);
  return requested.length === 0 || ids.size === 0 || requested.some((id) => ids.has(String(id)));
}

/** Whether the answer to a query may be another one after what changed without a task. */
export function isChanged(key: readonly unknown[], change: Change): boolean {
  const { action, noun, id, project_id, region_id } = change;
  if (action === 'unknown') return true;
  const isAction = noun === null;
  const [, path] = key;
  if (!isAction && (typeof path !== 'string' || TASKS.test(path)))
    return action === 'health' && HEALTH.test(String(path));
  const about = { task_type: noun ?? action, data: { id }, created_resources: null, project_id, region_id };
  // Of what is counted only the page of the resource itself shows anything.
  if (action === 'counters' && !JSON.stringify(key).includes(String(id))) return false;
  return isTouched(key, { ...about, state: isAction ? 'FINISHED' : 'RUNNING' } as Task);
}

const isElsewhere = (requested: unknown, at: number | null | undefined) =>
  requested !== undefined && typeof at === 'number' && Number(requested) !== at;

function paramsOf(init: unknown): Readonly<Record<string, unknown>> {
  const { params } = (init ?? {}) as { params?: { path?: Record<string, unknown> } };
  return params?.path ?? {};
}

/** Every id that the task names. */
function idsOf({ data, created_resources }: Task): ReadonlySet<string> {
  const values = [data, created_resources].flatMap((part) => Object.values((part ?? {}) as object).flat());
  return new Set(values.map(String).filter(isUuid));
}
