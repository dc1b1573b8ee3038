import { type Fixture, first, type Member, startMember } from './fixture.ts';

/** What is done to a load balancer under load. Each round is some changes that leave it as it was. */
export interface Operation {
  readonly what: string;
  /** @returns how many changes it made */
  round(fixture: Fixture): Promise<number>;
}

const LBS = '/cloud/v1/loadbalancers/1/1';
const LISTENERS = '/cloud/v1/lblisteners/1/1';
const POOLS = '/cloud/v1/lbpools/1/1';
const POLICIES = '/cloud/v1/l7policies/1/1';

/** Changes one after the other. */
async function inTurn(
  fixture: Fixture,
  changes: readonly (readonly [string, string, unknown?])[],
): Promise<number> {
  for (const [method, path, body] of changes) await fixture.change(method, path, body);
  return changes.length;
}

const patchPool = (fixture: Fixture, body: object) =>
  ['PATCH', `/cloud/v2/lbpools/1/1/${fixture.ids.pool}`, body] as const;
const patchListener = (id: string, body: object) =>
  ['PATCH', `/cloud/v2/lblisteners/1/1/${id}`, body] as const;

/** The members of the pool, changed in something. */
const membersWith = (fixture: Fixture, change: (index: number) => object) =>
  fixture.members.map(({ port }, index) => ({ address: '127.0.0.1', protocol_port: port, ...change(index) }));

const members: Operation = {
  what: 'members added and removed',
  round: async (fixture) => {
    const more: Member = await startMember();
    const path = `${POOLS}/${fixture.ids.pool}/member`;
    const { members: made } = await fixture.change('POST', path, {
      address: '127.0.0.1',
      protocol_port: more.port,
    });
    await fixture.change('DELETE', `${path}/${first(made)}`);
    await more.kill();
    return 2;
  },
};

const draining: Operation = {
  what: 'members drained by weight and switched off',
  round: (fixture) =>
    inTurn(fixture, [
      patchPool(fixture, { members: membersWith(fixture, (index) => ({ weight: index === 0 ? 0 : 1 })) }),
      patchPool(fixture, { members: membersWith(fixture, (index) => ({ admin_state_up: index !== 1 })) }),
      patchPool(fixture, { members: membersWith(fixture, () => ({})) }),
    ]),
};

const listeners: Operation = {
  what: 'listeners changed, added and removed',
  round: async (fixture) => {
    const { http, https, balancer } = fixture.ids;
    const body = { load_balancer_id: balancer, name: 'more', protocol: 'HTTP', protocol_port: 8090 };
    const { listeners: made } = await fixture.change('POST', LISTENERS, body);
    return (
      1 +
      (await inTurn(fixture, [
        patchListener(http, { timeout_client_data: 40_000, insert_x_forwarded: true }),
        patchListener(https, { connection_limit: 50_000 }),
        patchListener(http, { timeout_client_data: 50_000, insert_x_forwarded: false }),
        patchListener(https, { connection_limit: 100_000 }),
        ['DELETE', `${LISTENERS}/${first(made)}`],
      ]))
    );
  },
};

const pools: Operation = {
  what: 'pools changed, added and removed',
  round: async (fixture) => {
    const body = { name: 'more', protocol: 'HTTP', lb_algorithm: 'SOURCE_IP' };
    const { pools: made } = await fixture.change('POST', POOLS, {
      ...body,
      load_balancer_id: fixture.ids.balancer,
    });
    return (
      1 +
      (await inTurn(fixture, [
        patchPool(fixture, { lb_algorithm: 'LEAST_CONNECTIONS' }),
        patchPool(fixture, { session_persistence: { type: 'HTTP_COOKIE' } }),
        patchPool(fixture, { lb_algorithm: 'ROUND_ROBIN', session_persistence: null }),
        ['DELETE', `${POOLS}/${first(made)}`],
      ]))
    );
  },
};

const policies: Operation = {
  what: 'L7 policies and rules added and removed',
  round: async (fixture) => {
    const body = { listener_id: fixture.ids.http, action: 'REJECT' };
    const id = first((await fixture.change('POST', POLICIES, body)).l7polices);
    const rule = { type: 'PATH', compare_type: 'EQUAL_TO', value: '/closed' };
    return (
      1 +
      (await inTurn(fixture, [
        ['POST', `${POLICIES}/${id}/rules`, rule],
        ['DELETE', `${POLICIES}/${id}`],
      ]))
    );
  },
};

const certificates: Operation = {
  what: 'certificates swapped',
  round: (fixture) =>
    inTurn(
      fixture,
      [...fixture.secrets].reverse().map((id) => patchListener(fixture.ids.https, { secret_id: id })),
    ),
};

const resize: Operation = {
  what: 'resize',
  round: (fixture) =>
    inTurn(
      fixture,
      ['lb1-2-4', 'lb1-1-2'].map((flavor) => ['POST', `${LBS}/${fixture.ids.balancer}/resize`, { flavor }]),
    ),
};

const failover: Operation = {
  what: 'failover',
  round: (fixture) => inTurn(fixture, [['POST', `${LBS}/${fixture.ids.balancer}/failover`, {}]]),
};

const logging: Operation = {
  what: 'logging switched on and off',
  round: (fixture) =>
    inTurn(
      fixture,
      [true, false].map((enabled) => [
        'PATCH',
        `/cloud/v2/loadbalancers/1/1/${fixture.ids.balancer}`,
        { logging: { enabled } },
      ]),
    ),
};

/** Long enough for HAProxy to see it down, and up again, at an interval of a second. */
const DEAD_MS = 1_500;

const killed: Operation = {
  what: 'a member killed, and back',
  round: async (fixture) => {
    const [victim] = fixture.members;
    if (!victim) return 0;
    await victim.kill();
    await new Promise((resolve) => setTimeout(resolve, DEAD_MS));
    const again = await startMember(victim.port);
    await new Promise((resolve) => setTimeout(resolve, DEAD_MS));
    victim.kill = () => again.kill();
    return 2;
  },
};

export const OPERATIONS: readonly Operation[] = [
  members,
  draining,
  listeners,
  pools,
  policies,
  certificates,
  resize,
  failover,
  logging,
  killed,
];
