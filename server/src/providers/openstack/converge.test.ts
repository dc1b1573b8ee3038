import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DesiredHealthMonitor, DesiredLoadBalancer } from '../../features/load-balancers/port.ts';
import { type Call, type Found, type FoundTree, nextCall } from './converge.ts';
import {
  desiredListener,
  desiredLoadBalancer,
  desiredMember,
  desiredPolicy,
  desiredPool,
  desiredRule,
} from './testing/desired.ts';
import { type SecretRefs, secretsOf } from './tls.ts';

/** A load balancer as Octavia keeps it, which does what calls say. */
class Kept {
  readonly loadBalancer = found({ admin_state_up: true });
  readonly objects = new Map<string, { path: string; fields: Found }>();

  do({ method, path, body = {} }: Call): void {
    const id = path.split('/').at(-1) ?? '';
    if (method === 'DELETE') this.objects.delete(id);
    else if (path.endsWith('/members')) this.#setMembers(path, body);
    else if (method === 'PUT') Object.assign(this.#fieldsOf(id), Object.values(body)[0]);
    else {
      const made = found(Object.values(body)[0]);
      this.objects.set(made.id, { path, fields: made });
    }
  }

  #fieldsOf(id: string): Found {
    const fields = id === this.loadBalancer.id ? this.loadBalancer : this.objects.get(id)?.fields;
    if (!fields) throw new Error(`there is no ${id}`);
    return fields;
  }

  #setMembers(path: string, body: object): void {
    for (const [id, each] of this.objects) if (each.path === path) this.objects.delete(id);
    for (const each of Reflect.get(body, 'members')) {
      const made = found(each);
      this.objects.set(made.id, { path, fields: made });
    }
  }

  of(path: string): Found[] {
    return [...this.objects.values()].filter((each) => each.path === path).map(({ fields }) => fields);
  }

  tree(): FoundTree {
    return {
      loadBalancer: this.loadBalancer,
      listeners: this.of('/listeners'),
      pools: this.of('/pools').map((pool) => ({
        pool,
        members: this.of(`/pools/${pool.id}/members`),
        monitor: this.of('/healthmonitors').find((each) => each.pool_id === pool.id) ?? null,
      })),
      policies: this.of('/l7policies').map((policy) => ({
        policy,
        rules: this.of(`/l7policies/${policy.id}/rules`),
      })),
    };
  }

  /** @returns what was done until nothing was left to do */
  converge(desired: DesiredLoadBalancer, provider?: string, refs?: SecretRefs): string[] {
    const settings = provider === undefined ? undefined : { provider };
    const done: string[] = [];
    for (let call = nextCall(desired, this.tree(), settings, { refs }); call; ) {
      done.push(call.what);
      if (done.length > 30) throw new Error(`it does not end: ${done.join('; ')}`);
      this.do(call);
      call = nextCall(desired, this.tree(), settings, { refs });
    }
    return done;
  }
}

const found = (fields: object): Found =>
  Object.assign(
    { id: randomUUID(), provisioning_status: 'ACTIVE', operating_status: 'ONLINE', tags: [] },
    fields,
  );

const MONITOR: DesiredHealthMonitor = {
  id: '44444444-4444-4444-8444-444444444444',
  adminStateUp: true,
  type: 'HTTP',
  delay: 5,
  timeout: 3,
  maxRetries: 2,
  maxRetriesDown: 3,
  httpMethod: null,
  httpVersion: '1.1',
  urlPath: '/ok',
  domainName: null,
  expectedCodes: null,
};
const OTHER_ID = '22222222-2222-4222-8222-222222222223';
const POLICY = desiredPolicy({ redirectPoolId: OTHER_ID, action: 'REDIRECT_TO_POOL' });
const OTHER_POOL = desiredPool({ id: OTHER_ID, members: [] });

const whole = desiredLoadBalancer({
  listeners: [desiredListener({ l7Policies: [POLICY] })],
  pools: [desiredPool({ healthMonitor: MONITOR }), OTHER_POOL],
});

test('everything is made in an order in which Octavia takes it, and then nothing is left to do', () => {
  const kept = new Kept();
  expect(kept.converge(whole)).toEqual([
    'pool: new',
    'members: 1 instead of 0, or other ones',
    'healthmonitor: new',
    'pool: new',
    'listener: new',
    'l7policy: new',
    'rule: new',
  ]);
  expect(kept.converge(whole)).toEqual([]);
});

test('a change is one call for what differs, and what leads to something goes before it', () => {
  const kept = new Kept();
  kept.converge(whole);
  const changed = desiredLoadBalancer({
    listeners: [desiredListener({ connectionLimit: 500 })],
    pools: [desiredPool({ members: [desiredMember(), desiredMember({ id: randomUUID(), port: 8081 })] })],
  });
  expect(kept.converge(changed)).toEqual([
    'rule: surplus',
    'l7policy: surplus',
    'pool: surplus',
    'members: 2 instead of 1, or other ones',
    'healthmonitor: surplus',
    'listener: connection_limit',
  ]);
});

test('a listener leads to another pool before the old one goes', () => {
  const kept = new Kept();
  kept.converge(whole);
  const other = desiredLoadBalancer({
    listeners: [desiredListener({ defaultPoolId: OTHER_POOL.id })],
    pools: [OTHER_POOL],
  });
  expect(kept.converge(other)).toEqual([
    'rule: surplus',
    'l7policy: surplus',
    'listener: default_pool_id',
    'pool: surplus',
  ]);
});

test('what was made twice, by hand, or as something that cannot become what is desired, goes', () => {
  const kept = new Kept();
  kept.converge(whole);
  const [listener] = kept.of('/listeners');
  const twin = found({ ...listener, id: randomUUID(), created_at: '2026-02-01T00:00:00' });
  kept.objects.set(twin.id, { path: '/listeners', fields: twin });
  const stranger = found({ protocol: 'TCP', protocol_port: 99 });
  kept.objects.set(stranger.id, { path: '/listeners', fields: stranger });
  expect(kept.converge(whole)).toEqual(['listener: surplus', 'listener: surplus']);
  const moved = desiredLoadBalancer({
    listeners: [desiredListener({ port: 8443, l7Policies: [POLICY] })],
    pools: whole.pools,
  });
  expect(kept.converge(moved)).toContain('listener: new');
  expect(kept.of('/listeners').map((each) => each.protocol_port)).toEqual([8443]);
});

test('every field that somebody changes by hand is changed back', () => {
  const kept = new Kept();
  kept.converge(whole);
  for (const [id, { fields }] of [...kept.objects]) {
    const taken = new Set(['id', 'tags', 'provisioning_status', 'operating_status', 'loadbalancer_id']);
    const fixed = new Set(['protocol', 'protocol_port', 'address', 'pool_id', 'listener_id']);
    for (const [key, value] of Object.entries(fields)) {
      if (taken.has(key) || fixed.has(key) || (key === 'type' && !('compare_type' in fields))) continue;
      // Members are replaced together.
      if (!kept.objects.has(id)) break;
      Object.assign(fields, { [key]: typeof value === 'number' ? value + 1 : 'changed by hand' });
      expect(kept.converge(whole), key).toHaveLength(1);
    }
  }
});

test('a monitor of OVN comes after the listeners of its pool, also when one of them was deleted', () => {
  const kept = new Kept();
  const plain = desiredLoadBalancer({ pools: [desiredPool({ healthMonitor: MONITOR })] });
  expect(kept.converge(plain, 'ovn').slice(-2)).toEqual(['listener: new', 'healthmonitor: new']);
  kept.objects.delete(kept.of('/listeners')[0]?.id ?? '');
  expect(kept.converge(plain, 'ovn')).toEqual([
    'healthmonitor: surplus',
    'listener: new',
    'healthmonitor: new',
  ]);
});

const CERTIFICATE = { id: 'a', certificate: 'one', chain: null, privateKey: 'key of one' };
const secure = desiredLoadBalancer({
  listeners: [
    desiredListener({
      protocol: 'TERMINATED_HTTPS',
      certificates: [CERTIFICATE, { ...CERTIFICATE, id: 'b', certificate: 'two' }],
      clientAuthorities: 'authorities',
      l7Policies: [desiredPolicy({ rules: [desiredRule({ type: 'SSL_CONN_HAS_CERT', value: 'True' })] })],
    }),
  ],
  pools: [
    desiredPool({
      memberHttpVersion: '2',
      tls: { caBundle: 'authorities', crl: 'revoked', clientCertificate: CERTIFICATE },
    }),
  ],
});

/** As a key manager keeps them. */
const refsOf = (desired: DesiredLoadBalancer): SecretRefs =>
  new Map(secretsOf(desired).map((each) => [each.digest, `ref of ${nameOf(each)}`]));
const nameOf = (secret: ReturnType<typeof secretsOf>[number]) =>
  'pem' in secret ? secret.pem : secret.bundle.certificate;

test('listeners and pools name what the key manager keeps, each secret once', () => {
  const kept = new Kept();
  expect(secretsOf(secure).map(nameOf)).toEqual(['one', 'two', 'authorities', 'revoked']);
  kept.converge(secure, undefined, refsOf(secure));
  expect(kept.of('/listeners')[0]).toMatchObject({
    default_tls_container_ref: 'ref of one',
    sni_container_refs: ['ref of two'],
    client_ca_tls_container_ref: 'ref of authorities',
    client_authentication: 'OPTIONAL',
    tls_versions: ['TLSv1.2', 'TLSv1.3'],
    alpn_protocols: ['h2', 'http/1.1'],
  });
  expect(kept.of('/pools')[0]).toMatchObject({
    tls_enabled: true,
    ca_tls_container_ref: 'ref of authorities',
    crl_container_ref: 'ref of revoked',
    tls_container_ref: 'ref of one',
    alpn_protocols: ['h2'],
  });
  expect(kept.converge(secure, undefined, refsOf(secure))).toEqual([]);
});

test('another certificate, and TLS that goes, is one change of what names it', () => {
  const kept = new Kept();
  kept.converge(secure, undefined, refsOf(secure));
  const [listener = desiredListener()] = secure.listeners;
  const certificates = [{ ...CERTIFICATE, certificate: 'three' }];
  const plain = desiredLoadBalancer({
    listeners: [{ ...listener, certificates }],
    pools: [desiredPool()],
  });
  expect(kept.converge(plain, undefined, refsOf(plain))).toEqual([
    'pool: tls_enabled, ca_tls_container_ref, crl_container_ref, tls_container_ref',
    'listener: default_tls_container_ref, sni_container_refs',
  ]);
});

test('without a key manager nothing is said of TLS', () => {
  const kept = new Kept();
  kept.converge(desiredLoadBalancer());
  expect(Object.keys({ ...kept.of('/listeners')[0], ...kept.of('/pools')[0] }).join()).not.toMatch(
    /tls|alpn/,
  );
});
