import { expect, test } from 'vitest';
import type { DesiredL7Policy, DesiredL7Rule } from '../../features/load-balancers/port.ts';
import { unservable } from './abilities.ts';
import { grown, statsOf } from './counters.ts';
import { adopt } from './marks.ts';
import {
  desiredListener,
  desiredLoadBalancer,
  desiredMember,
  desiredPolicy,
  desiredPool,
  desiredRule,
} from './testing/desired.ts';
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

test('OVN leads from an address of IPv6 to members of IPv6 alone, and others translate', () => {
  const listeners = [desiredListener({ protocol: 'TCP' })];
  const vip = { vipAddress: 'fd12:9::4', vipSubnetId: 'six', listeners };
  const poolOf = (address: string) =>
    desiredPool({ protocol: 'TCP', algorithm: 'SOURCE_IP', members: [desiredMember({ address })] });
  expect(fields(desiredLoadBalancer({ ...vip, pools: [poolOf('fd12:9::2')] }), OVN)).toEqual([]);
  const mixed = desiredLoadBalancer({ ...vip, pools: [poolOf('10.9.0.2')] });
  expect(fields(mixed, OVN)).toEqual(['member address']);
  expect(fields(mixed, EXAMPLE)).toEqual([]);
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

test('with a key manager TLS is served, but not what Octavia does otherwise', () => {
  const secrets = { ...EXAMPLE, load_balancers: { key_manager: true } };
  const rule = (more: Partial<DesiredL7Rule>) =>
    desiredPolicy({ rules: [desiredRule({ type: 'SSL_VERIFY_RESULT', value: '0', ...more })] });
  const https = (l7Policies: DesiredL7Policy[], clientAuthorities: string | null) =>
    desiredLoadBalancer({
      listeners: [desiredListener({ protocol: 'TERMINATED_HTTPS', l7Policies, clientAuthorities })],
      pools: [
        desiredPool({ memberHttpVersion: '2', tls: { caBundle: null, crl: null, clientCertificate: null } }),
      ],
    });
  expect(fields(https([], null), secrets)).toEqual([]);
  expect(fields(https([rule({})], 'authorities'), secrets)).toEqual([]);
  expect(fields(https([rule({})], null), secrets)).toEqual(['listener sni_secret_id']);
  expect(fields(https([rule({ invert: true })], 'authorities'), secrets)).toEqual(['listener l7_policies']);
  expect(fields(https([rule({ value: '20' })], 'authorities'), secrets)).toEqual(['listener l7_policies']);
  const http2 = desiredPool({ memberHttpVersion: '2' });
  expect(fields(desiredLoadBalancer({ pools: [http2] }), secrets)).toEqual(['pool member_http_version']);
  const crl = desiredPool({ tls: { caBundle: null, crl: 'revoked', clientCertificate: null } });
  expect(fields(desiredLoadBalancer({ pools: [crl] }), secrets)).toEqual(['pool crl_secret_id']);
  const both = { ...EXAMPLE, load_balancers: { key_manager: true, provider: 'ovn' } };
  expect(fields(https([], null), both)).toContain('pool ca_secret_id');
});
