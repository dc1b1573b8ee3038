/** The kinds of resources a task can create, as `created_resources` spells them (`l7polices` included). */
export const CREATED_KINDS = [
  'ai_clusters',
  'api_keys',
  'caas_containers',
  'clusters',
  'ddos_profiles',
  'faas_functions',
  'faas_namespaces',
  'file_shares',
  'floatingips',
  'healthmonitors',
  'images',
  'inference_instances',
  'instances',
  'k8s_clusters',
  'k8s_pools',
  'l7polices',
  'l7rules',
  'laas_topic',
  'listeners',
  'loadbalancers',
  'members',
  'networks',
  'pools',
  'ports',
  'postgresql_clusters',
  'projects',
  'registry_registries',
  'registry_users',
  'routers',
  'secrets',
  'security_group_rules',
  'security_groups',
  'servergroups',
  'snapshots',
  'subnets',
  'volumes',
] as const;

export type CreatedKind = (typeof CREATED_KINDS)[number];
export type Created = Partial<Record<CreatedKind, readonly (string | number)[]>>;

/** What is kept of it: only kinds of which there is something. */
export function created(all: Created): Created {
  return Object.fromEntries(Object.entries(all).filter(([, ids]) => ids.length > 0));
}

type OfAllKinds = Record<CreatedKind, (string | number)[]>;

const NONE = Object.fromEntries(CREATED_KINDS.map((kind) => [kind, Object.freeze([])]));

/** Every kind with an array, empty but for what was created. */
export const allKinds = (created: Created) => ({ ...NONE, ...created }) as OfAllKinds;
