import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoadBalancerTree, MemberRow } from './model.ts';
import { healthOf } from './operating-status.ts';
import type { MemberHealth } from './port.ts';

interface Shape {
  readonly up?: boolean;
  readonly poolUp?: boolean;
  readonly monitored?: boolean;
  readonly members?: readonly {
    readonly seen?: MemberHealth;
    readonly up?: boolean;
    readonly weight?: number;
  }[];
}

const at = { provisioning_status: 'ACTIVE', operating_status: 'OFFLINE', admin_state_up: true } as const;

/** A load balancer of one listener and one pool, as the data plane sees it. */
function rolledUp({ up = true, poolUp = true, monitored = true, members = [] }: Shape, running = true) {
  const rows = members.map((member, index) => ({
    ...at,
    id: `m${index}`,
    pool_id: 'p',
    weight: member.weight ?? 1,
    admin_state_up: member.up ?? true,
  })) as unknown as MemberRow[];
  const tree = {
    ...at,
    id: 'lb',
    admin_state_up: up,
    listeners: [{ ...at, id: 'l', default_pool_id: 'p' }],
    pools: [{ ...at, id: 'p', admin_state_up: poolUp }],
    members: rows,
    monitors: monitored ? [{ ...at, id: 'h', pool_id: 'p' }] : [],
    policies: [{ ...at, id: 'y', listener_id: 'l' }],
    rules: [{ ...at, id: 'r', policy_id: 'y' }],
  } as unknown as LoadBalancerTree;
  const seen = members.flatMap(({ seen: health }, index) => (health ? [[`m${index}`, health] as const] : []));
  const observed = { version: 1, members: new Map(seen), lastChecks: new Map(), listenerStats: new Map() };
  const { status, parts } = healthOf(tree, running ? observed : undefined);
  const of = (id: string) => parts.find((part) => part.id === id)?.status;
  return {
    status,
    pool: of('p'),
    listener: of('l'),
    monitor: of('h'),
    members: rows.map(({ id }) => of(id)),
    policy: of('y'),
    rule: of('r'),
  };
}

test('L7 policies and their rules are as their listener is', () => {
  for (const [up, running] of [
    [true, true],
    [true, false],
    [false, true],
  ]) {
    const { listener, policy, rule } = rolledUp({ up: up === true }, running);
    expect([policy, rule]).toEqual([listener, listener]);
  }
});

const alive = { seen: 'ONLINE' } as const;
const dead = { seen: 'ERROR' } as const;

test.each([
  ['nothing in the pool', { members: [] }, 'ONLINE', 'ONLINE'],
  ['all alive', { members: [alive, alive] }, 'ONLINE', 'ONLINE'],
  ['one dead', { members: [alive, dead] }, 'DEGRADED', 'DEGRADED'],
  ['all dead', { members: [dead, dead] }, 'ERROR', 'ERROR'],
  ['dead, and the other drains', { members: [dead, { weight: 0 }] }, 'ERROR', 'ERROR'],
  ['all drain', { members: [{ weight: 0 }] }, 'DRAINING', 'DRAINING'],
  ['one is off', { members: [alive, { up: false }] }, 'ONLINE', 'ONLINE'],
  ['all are off', { members: [{ up: false }] }, 'OFFLINE', 'ONLINE'],
  ['nobody checks', { members: [{}, {}], monitored: false }, 'NO_MONITOR', 'NO_MONITOR'],
  ['the pool is off', { members: [dead], poolUp: false }, 'OFFLINE', 'ONLINE'],
] as [string, Shape, string, string][])('%s: the pool is %3$s', (_what, shape, pool, status) => {
  expect(rolledUp(shape)).toMatchObject({ pool, status, listener: 'ONLINE' });
});

test('what is off is OFFLINE in all its parts', () => {
  const all = rolledUp({ up: false, members: [alive, dead] });
  expect(all).toEqual({
    status: 'OFFLINE',
    pool: 'OFFLINE',
    listener: 'OFFLINE',
    monitor: 'OFFLINE',
    members: ['OFFLINE', 'OFFLINE'],
    policy: 'OFFLINE',
    rule: 'OFFLINE',
  });
});

test('a data plane that does not run is an ERROR of the listener and the load balancer', () => {
  expect(rolledUp({ members: [alive] }, false)).toMatchObject({ status: 'ERROR', listener: 'ERROR' });
  expect(rolledUp({ up: false }, false)).toMatchObject({ status: 'OFFLINE', listener: 'OFFLINE' });
});

test('a load balancer is ERROR exactly when it should have members and none of them lives', () => {
  const member = fc.record({
    seen: fc.constantFrom<MemberHealth>('ONLINE', 'ERROR'),
    up: fc.boolean(),
    weight: fc.constantFrom(0, 1, 256),
  });
  fc.assert(
    fc.property(fc.array(member, { maxLength: 6 }), (members) => {
      const serving = members.filter(({ up, weight }) => up && weight > 0);
      const living = serving.filter(({ seen }) => seen === 'ONLINE');
      const { status } = rolledUp({ members });
      expect(status === 'ERROR').toBe(serving.length > 0 && living.length === 0);
      expect(status === 'DEGRADED').toBe(living.length > 0 && living.length < serving.length);
    }),
  );
});
