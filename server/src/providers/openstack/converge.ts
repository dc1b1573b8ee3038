import { isDeepStrictEqual } from 'node:util';
import type { DesiredLoadBalancer, DesiredPool } from '../../features/load-balancers/port.ts';
import { OVN } from './abilities.ts';
import { adopt, type Marked, markedId, markOf } from './marks.ts';
import {
  type DesiredObject,
  type EngineSubnets,
  type Fields,
  objectOfListener,
  objectOfMember,
  objectOfMonitor,
  objectOfPolicy,
  objectOfPool,
  objectOfRule,
} from './objects.ts';
import type { Method } from './session.ts';
import type { LoadBalancerSettings } from './settings.ts';
import type { SecretRefs } from './tls.ts';

/** An object of Octavia. */
export interface Found extends Marked {
  readonly id: string;
  readonly created_at?: string | null;
  readonly provisioning_status: string;
  readonly operating_status: string;
  readonly [field: string]: unknown;
}

export interface FoundPool {
  readonly pool: Found;
  readonly members: readonly Found[];
  readonly monitor: Found | null;
}

export interface FoundPolicy {
  readonly policy: Found;
  readonly rules: readonly Found[];
}

/** What there is of a load balancer in the cloud. */
export interface FoundTree {
  readonly loadBalancer: Found;
  readonly listeners: readonly Found[];
  readonly pools: readonly FoundPool[];
  readonly policies: readonly FoundPolicy[];
}

/** One call of Octavia, below `/lbaas`. */
export interface Call {
  readonly method: Exclude<Method, 'GET'>;
  readonly path: string;
  readonly body?: object;
  /** For the task's step, and for the audit log when somebody else has changed it: "listener: connection_limit". */
  readonly what: string;
}

/** What is known of the cloud beside the load balancer. */
export interface Known {
  /** The subnets that members name. */
  readonly subnets?: EngineSubnets;
  /** What its key manager keeps; absent: there is none. */
  readonly refs?: SecretRefs | undefined;
}

/** The next call that brings what is found closer to what is desired; null: it is the same. Each changes one object,
 *  since a load balancer takes one change at a time: what goes first goes first, from rules up to listeners, then
 *  pools come, and what leads to them. */
export function nextCall(
  desired: DesiredLoadBalancer,
  found: FoundTree,
  settings: LoadBalancerSettings | undefined,
  { subnets = new Map(), refs }: Known = {},
): Call | null {
  return (
    ofLoadBalancer(desired, found.loadBalancer) ??
    removal(desired, found) ??
    first(desired.pools, (pool) => {
      const waits = settings?.provider === OVN && lacksListener(desired, pool, found);
      const monitor = waits ? null : pool.healthMonitor;
      return ofPool(pool, found, settings, { subnets, refs, monitor });
    }) ??
    first(desired.listeners, (listener) => ofListener(listener, found, refs)) ??
    first(desired.listeners, (listener) => ofPolicies(listener, found))
  );
}

function first<Each>(list: readonly Each[], call: (each: Each) => Call | null): Call | null {
  for (const each of list) {
    const next = call(each);
    if (next) return next;
  }
  return null;
}

function ofLoadBalancer({ adminStateUp }: DesiredLoadBalancer, found: Found): Call | null {
  return changed('loadbalancer', 'loadbalancers', { admin_state_up: adminStateUp }, found);
}

/** The change of an object's fields that differ; null: none does. */
function changed(name: string, path: string, goal: Fields, found: Found): Call | null {
  const set = Object.fromEntries(Object.entries(goal).filter(([key, value]) => !isSame(found[key], value)));
  if (Object.keys(set).length === 0) return null;
  return {
    method: 'PUT',
    path: `/${path}/${found.id}`,
    body: { [name]: set },
    what: `${name}: ${Object.keys(set).join(', ')}`,
  };
}

/** Octavia leaves out what is null, and orders lists as it likes. */
export function isSame(found: unknown, goal: unknown): boolean {
  return isDeepStrictEqual(plain(found), plain(goal));
}

function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return [...value].sort();
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, plain(each)]));
}

/** What is found of something that is desired: an object that carries its mark and is not another one in what cannot
 *  be changed. */
function findDesired(goal: DesiredObject, all: readonly Found[]): Found | undefined {
  const { adopted } = adopt(all.filter((each) => markedId(each) === goal.id));
  if (!adopted) return undefined;
  return Object.entries(goal.fixed).every(([key, value]) => isSame(adopted[key], value))
    ? adopted
    : undefined;
}

const idsOf = (list: readonly (Found | undefined)[]) => new Set(list.map((each) => each?.id));

/** What nobody wants: a listener goes before the pool that it leads to, and so does a policy. */
function removal(desired: DesiredLoadBalancer, found: FoundTree): Call | null {
  const rules = desired.listeners.flatMap(({ l7Policies }) => l7Policies.flatMap((each) => each.rules));
  const policies = desired.listeners.flatMap(({ l7Policies }) => l7Policies);
  const foundPolicies = found.policies.map(({ policy }) => policy);
  const listeners = idsOf(
    desired.listeners.map((each) => findDesired(objectOfListener(each, null), found.listeners)),
  );
  const pools = idsOf(desired.pools.map((each) => findPool(each, found)?.pool));
  const keptPolicies = idsOf(
    policies.map((each) => findDesired(objectOfPolicy(each, 0, null), foundPolicies)),
  );
  const surplusRule = first(found.policies, ({ policy, rules: its }) => {
    const kept = idsOf(rules.map((each) => findDesired(objectOfRule(each), its)));
    const rule = its.find(({ id }) => !kept.has(id));
    return rule ? deletion('rule', `/l7policies/${policy.id}/rules/${rule.id}`) : null;
  });
  const gone = (list: readonly Found[], kept: ReadonlySet<unknown>, name: string, path: string) => {
    const surplus = list.find(({ id }) => !kept.has(id));
    return surplus ? deletion(name, `/${path}/${surplus.id}`) : null;
  };
  return (
    surplusRule ??
    gone(foundPolicies, keptPolicies, 'l7policy', 'l7policies') ??
    gone(found.listeners, listeners, 'listener', 'listeners') ??
    // Only when nothing leads to it any more.
    (isLedAway(desired, found)
      ? gone(
          found.pools.map(({ pool }) => pool),
          pools,
          'pool',
          'pools',
        )
      : null)
  );
}

/** Whether no listener or policy leads to a pool that is to go. */
function isLedAway(desired: DesiredLoadBalancer, found: FoundTree): boolean {
  const kept = idsOf(desired.pools.map((each) => findPool(each, found)?.pool));
  const surplus = new Set(found.pools.map(({ pool }) => pool.id).filter((id) => !kept.has(id)));
  const leading = [
    ...found.listeners.map((each) => each.default_pool_id),
    ...found.policies.map(({ policy }) => policy.redirect_pool_id),
  ];
  return !leading.some((id) => surplus.has(String(id)));
}

const deletion = (name: string, path: string): Call => ({ method: 'DELETE', path, what: `${name}: surplus` });

function findPool(desired: DesiredPool, { pools }: FoundTree): FoundPool | undefined {
  const pool = findDesired(
    objectOfPool(desired),
    pools.map((each) => each.pool),
  );
  return pools.find((each) => each.pool === pool);
}

function created(name: string, path: string, goal: DesiredObject, more: Fields = {}): Call {
  const { id, fixed, changeable } = goal;
  const entries = [...Object.entries(fixed), ...Object.entries(changeable), ...Object.entries(more)];
  const set = Object.fromEntries(entries.filter(([, value]) => value !== null));
  return {
    method: 'POST',
    path,
    body: { [name]: Object.assign(set, { tags: [markOf(id)] }) },
    what: `${name}: new`,
  };
}

/** OVN forgets where a listener leads when a monitor was there before it: a monitor comes after all listeners. */
function lacksListener({ listeners }: DesiredLoadBalancer, { id }: DesiredPool, found: FoundTree): boolean {
  const leading = listeners.filter((each) => each.defaultPoolId === id);
  return leading.some((each) => !findDesired(objectOfListener(each, null), found.listeners));
}

function ofPool(
  desired: DesiredPool,
  found: FoundTree,
  settings: LoadBalancerSettings | undefined,
  { subnets, refs, monitor }: Required<Known> & { readonly monitor: DesiredPool['healthMonitor'] },
): Call | null {
  const goal = objectOfPool(desired, refs);
  const there = findPool(desired, found);
  if (!there) return created('pool', '/pools', goal, { loadbalancer_id: found.loadBalancer.id });
  return (
    changed('pool', 'pools', goal.changeable, there.pool) ??
    ofMembers(desired, there, settings, subnets) ??
    ofMonitor(monitor, there)
  );
}

/** All members of a pool at once: one change, however many there are. */
function ofMembers(
  desired: DesiredPool,
  { pool, members }: FoundPool,
  settings: LoadBalancerSettings | undefined,
  subnets: EngineSubnets,
): Call | null {
  const goal = desired.members.map((member) => objectOfMember(member, desired, settings, subnets));
  const keyOf = (each: Fields) => `${each.address} ${each.protocol_port}`;
  const there = new Map(members.map((each) => [keyOf(each), each]));
  const isAsDesired = (each: Fields) => {
    const its = there.get(keyOf(each));
    // The cloud may say in which subnet it is, though nobody asked.
    const requested = Object.entries(each).filter(([key, value]) => key !== 'subnet_id' || value !== null);
    return its !== undefined && requested.every(([key, value]) => isSame(its[key], value));
  };
  if (goal.length === members.length && goal.every(isAsDesired)) return null;
  const set = goal.map((each) =>
    Object.fromEntries(Object.entries(each).filter(([key, value]) => key !== 'subnet_id' || value !== null)),
  );
  return {
    method: 'PUT',
    path: `/pools/${pool.id}/members`,
    body: { members: set },
    what: `members: ${goal.length} instead of ${members.length}, or other ones`,
  };
}

function ofMonitor(healthMonitor: DesiredPool['healthMonitor'], { pool, monitor }: FoundPool): Call | null {
  const goal = healthMonitor && objectOfMonitor(healthMonitor);
  const its = goal && monitor ? findDesired(goal, [monitor]) : undefined;
  if (monitor && !its) return deletion('healthmonitor', `/healthmonitors/${monitor.id}`);
  if (!goal) return null;
  if (!its) return created('healthmonitor', '/healthmonitors', goal, { pool_id: pool.id });
  return changed('healthmonitor', 'healthmonitors', goal.changeable, its);
}

function poolIdOf(poolId: string | null, found: FoundTree): string | null {
  const pool = found.pools.find((each) => markedId(each.pool) === poolId);
  return pool?.pool.id ?? null;
}

function ofListener(
  desired: DesiredLoadBalancer['listeners'][number],
  found: FoundTree,
  refs: SecretRefs | undefined,
): Call | null {
  const goal = objectOfListener(desired, poolIdOf(desired.defaultPoolId, found), refs);
  const there = findDesired(goal, found.listeners);
  if (!there) return created('listener', '/listeners', goal, { loadbalancer_id: found.loadBalancer.id });
  return changed('listener', 'listeners', goal.changeable, there);
}

function ofPolicies(listener: DesiredLoadBalancer['listeners'][number], found: FoundTree): Call | null {
  const listenerId = found.listeners.find((each) => markedId(each) === listener.id)?.id;
  for (const [index, policy] of listener.l7Policies.entries()) {
    const goal = objectOfPolicy(policy, index + 1, poolIdOf(policy.redirectPoolId, found));
    const all = found.policies.map((each) => each.policy);
    const there = findDesired(goal, all);
    if (!there) return created('l7policy', '/l7policies', goal, { listener_id: listenerId });
    const rules = found.policies.find((each) => each.policy === there)?.rules ?? [];
    const call =
      changed('l7policy', 'l7policies', goal.changeable, there) ??
      first(policy.rules, (rule) => {
        const its = findDesired(objectOfRule(rule), rules);
        const path = `l7policies/${there.id}/rules`;
        if (!its) return created('rule', `/${path}`, objectOfRule(rule));
        return changed('rule', path, objectOfRule(rule).changeable, its);
      });
    if (call) return call;
  }
  return null;
}
