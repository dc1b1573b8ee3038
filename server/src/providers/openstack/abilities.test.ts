import { expect, test } from 'vitest';
import { unservable } from './abilities.ts';
import { grown, statsOf } from './counters.ts';
import { adopt } from './marks.ts';
import { desiredListener, desiredLoadBalancer, desiredMember, desiredPool } from './testing/desired.ts';
import { EXAMPLE } from './testing/settings.ts';

const OVN = { ...EXAMPLE, load_balancers: { provider: 'ovn' } };
const fields = (...args: Parameters<typeof unservable>) =>
  unservable(...args).map(({ kind, field }) => `${kind} ${field}`);

test('whole load balancers are for drivers that read requests, and connections alone for OVN', () => {
  const http = desiredLoadBalancer();
  expect(fields(http, EXAMPLE)).toEqual([]);
  expect(fields(http, OVN)).toEqual(['listener protocol', 'pool protocol', 'pool lb_algorithm']);
  const tcp = desiredLoadBalancer({
    listeners: [desiredListener({ protocol: 'TCP' })],
    pools: [desiredPool({ protocol: 'TCP', algorithm: 'SOURCE_IP' })],
  });
  expect(fields(tcp, OVN)).toEqual([]);
  const elsewhere = desiredPool({
    protocol: 'TCP',
    algorithm: 'SOURCE_IP',
    members: [desiredMember({ address: '10.79.0.1', weight: 5, backup: true, monitorPort: 1 })],
  });
  expect(fields({ ...tcp, pools: [elsewhere] }, OVN)).toEqual([
    'member address',
    'member backup',
    'member weight',
    'member monitor_port',
  ]);
});

test('what needs a key manager, a proxy of ours or a log is refused by its field', () => {
  const desired = desiredLoadBalancer({
    listeners: [
      desiredListener({
        protocol: 'TERMINATED_HTTPS',
        basicAuth: [{ username: 'a', encryptedPassword: 'b' }],
      }),
    ],
    pools: [
      desiredPool({
        memberHttpVersion: '2',
        tunnelMs: 1,
        tls: { caBundle: null, crl: null, clientCertificate: null },
      }),
    ],
  });
  expect(fields(desired, EXAMPLE)).toEqual([
    'listener protocol',
    'listener user_list',
    'pool ca_secret_id',
    'pool member_http_version',
    'pool timeout_tunnel',
  ]);
  const offered = { ...EXAMPLE, load_balancers: { flavors: { 'lb1-2-4': 'large' } } };
  expect(unservable(desiredLoadBalancer(), offered)[0]).toMatchObject({
    field: 'flavor',
    reason: 'must be one of: lb1-2-4',
  });
});

test('counters grow over whatever begins to count anew', () => {
  const stats = (bytes: number) => ({
    active_connections: 1,
    bytes_in: bytes,
    bytes_out: bytes,
    request_errors: 0,
    total_connections: bytes,
  });
  let kept = grown(undefined, 'one', stats(100));
  kept = grown(kept, 'one', stats(150));
  expect(statsOf(kept, 1)).toMatchObject({ bytesIn: 150 });
  // A failover, then another listener in the place of the first.
  kept = grown(kept, 'one', stats(10));
  kept = grown(kept, 'two', stats(40));
  expect(statsOf(kept, 1)).toMatchObject({ bytesIn: 200, totalConnections: 200 });
});

test('of several that carry one mark the oldest is adopted', () => {
  const all = [
    { id: 'b', created_at: '2026-01-02' },
    { id: 'a', created_at: '2026-01-01' },
  ];
  expect(adopt(all)).toEqual({ adopted: all[1], surplus: [all[0]] });
});
