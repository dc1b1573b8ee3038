import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../harness/server.ts';
import { access } from './calls.ts';
import { EMPTY, inventory, LBS, REGION, startCloudServer, takeTurns } from './cloud.ts';

/** Load balancers whole on the real Octavia: after each change the public SDK counts exactly what should be there. */

const WEB = {
  name: 'web',
  floating_ip: { source: 'new' },
  listeners: [
    {
      name: 'http',
      protocol: 'HTTP',
      protocol_port: 80,
      insert_x_forwarded: true,
      normalize_path: false,
      pools: [
        {
          name: 'servers',
          protocol: 'HTTP',
          lb_algorithm: 'ROUND_ROBIN',
          session_persistence: { type: 'HTTP_COOKIE' },
          members: [
            { address: '10.78.1.1', protocol_port: 8080 },
            { address: '10.78.1.2', protocol_port: 8080, weight: 5 },
          ],
          healthmonitor: { type: 'HTTP', delay: 5, timeout: 3, max_retries: 2, url_path: '/ok' },
        },
      ],
    },
  ],
};

describe.skipIf(!access)('load balancers of OpenStack (npm run openstack -- up starts one)', () => {
  let server: TestServer;
  takeTurns();
  beforeAll(async () => {
    server = await startCloudServer('amphora');
  });
  afterAll(() => server.close());

  test('one is created with everything, changed part by part, and deleted without a trace', async () => {
    expect(await inventory()).toEqual(EMPTY);
    const created = await server.ended(await server.call('POST', LBS, { body: WEB }));
    expect(created).toMatchObject({ state: 'FINISHED', error: null });
    const id = String(created.created_resources?.loadbalancers?.[0]);
    const pool = String(created.created_resources?.pools?.[0]);
    const listener = String(created.created_resources?.listeners?.[0]);
    const whole = Object.assign({}, EMPTY, {
      load_balancers: 1,
      listeners: 1,
      pools: 1,
      members: 2,
      monitors: 1,
      policies: 0,
      ports: 1,
      floating_ips: 1,
      leading: 1,
    });
    expect(await inventory()).toEqual(whole);
    const { body } = await server.call('GET', `${LBS}/${id}`);
    expect(body).toMatchObject({
      provisioning_status: 'ACTIVE',
      vip_address: expect.stringMatching(/^10\.78\./),
    });
    expect(body.floating_ips).toHaveLength(1);

    const policies = `/cloud/v1/l7policies/1/${REGION}`;
    const done = async (method: string, url: string, sent?: object) => {
      const ended = await server.ended(await server.call(method, url, { body: sent }));
      expect(ended).toMatchObject({ state: 'FINISHED', error: null });
      return ended;
    };
    const policy = await done('POST', policies, {
      listener_id: listener,
      name: 'moved',
      action: 'REDIRECT_TO_URL',
      redirect_url: 'https://example.com/',
    });
    await done('POST', `${policies}/${policy.created_resources?.l7polices?.[0]}/rules`, {
      type: 'PATH',
      compare_type: 'STARTS_WITH',
      value: '/old',
    });
    await done('POST', `/cloud/v1/lbpools/1/${REGION}/${pool}/member`, {
      address: '10.78.1.3',
      protocol_port: 8080,
    });
    await done('PATCH', `/cloud/v2/lblisteners/1/${REGION}/${listener}`, { connection_limit: 500 });
    expect(await inventory()).toEqual(Object.assign({}, whole, { members: 3, policies: 1 }));
    await done('DELETE', `/cloud/v1/lblisteners/1/${REGION}/${listener}`);
    expect(await inventory()).toMatchObject({ listeners: 0, policies: 0, pools: 1 });
    await done('DELETE', `${LBS}/${id}`);
    for (const each of body.floating_ips)
      await done('DELETE', `/cloud/v1/floatingips/1/${REGION}/${each.id}`);
    expect(await inventory()).toEqual(EMPTY);
  });
});
