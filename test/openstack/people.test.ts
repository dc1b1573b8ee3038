import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../harness/wait.ts';
import { access, behind } from './calls.ts';
import { EMPTY, inventory, REGION, takeTurns } from './cloud.ts';
import { ask, type Guest, startGuestOn } from './guests.ts';
import { Nodes } from './nodes.ts';
import { type Person, programmer, visitor } from './people.ts';

/** The same day of a person twice, by the public SDK and by the portal: what is made carries packets, and what dies or is
 *  deleted by hand is seen there, and repaired. */

const at = (noun: string, version = 'v1') => `/cloud/${version}/${noun}/1/${REGION}`;

const PEOPLE: Readonly<Record<string, (nodes: Nodes) => Promise<Person>>> = {
  'the public Python SDK': programmer,
  'the portal': visitor,
};

describe.skipIf(!access)('people in a region on OpenStack (npm run openstack -- up starts one)', () => {
  const nodes = new Nodes();
  const guests: Guest[] = [];
  let person: Person | undefined;
  takeTurns();
  beforeAll(() => nodes.start());
  afterAll(async () => {
    await person?.close();
    for (const guest of guests) await guest.close();
    await nodes.close();
  });

  const call = (method: string, url: string, body?: object) => nodes.api.call(method, url, body);
  const done = async (method: string, url: string, body?: object) => {
    const ended = await nodes.api.ended(await call(method, url, body));
    expect(ended).toMatchObject({ state: 'FINISHED', error: null });
    return ended;
  };
  const listed = async (noun: string) => (await call('GET', at(noun))).body.results;

  /** Servers on ports of the person's network, each behind a group that lets in what they serve. */
  async function startServers(): Promise<{ readonly ports: readonly string[]; readonly group: string }> {
    const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 8080, port_range_max: 8080 };
    const created = await done('POST', at('security_groups', 'v2'), { name: 'web', rules: [rule] });
    const group = String(created.created_resources?.security_groups?.[0]);
    const [{ id: subnet_id }] = await listed('subnets');
    const ports: string[] = [];
    for (const name of ['one', 'two']) {
      const reserved = await done('POST', at('reserved_fixed_ips'), { type: 'subnet', subnet_id });
      const port = String(reserved.created_resources?.ports?.[0]);
      await done('PATCH', `${at('ports')}/${port}`, { security_group_ids: [group] });
      const [found] = (await behind('network', 'GET', `/ports?description=virga:${port}`)).ports;
      guests.push(await startGuestOn(name, found, '10.9.0.1'));
      ports.push(port);
    }
    return { ports, group };
  }

  /** Kills the worker that has begun with the load balancer. */
  async function killWhoMakesIt(): Promise<void> {
    const making = '/cloud/v1/tasks?task_type=create_loadbalancer&state=RUNNING';
    const taskId = await waitUntil(async () => (await call('GET', making)).body.results[0]?.id, {
      what: 'the task of the load balancer',
      intervalMs: 50,
    });
    await nodes.replace(await nodes.workerOf(taskId));
  }

  test.each(Object.keys(PEOPLE))('by %s', async (how) => {
    person = await PEOPLE[how]?.(nodes);
    if (!person) throw new Error(`nobody works by ${how}`);
    const its = person;
    const sees = (status: string) =>
      waitUntil(() => its.sees(status), { what: `${status} to be seen`, intervalMs: 500 });
    await its.makeNetworks();
    const { ports, group } = await startServers();

    const servers = guests.map(({ address }) => address);
    await Promise.all([its.makeBalancer(servers), killWhoMakesIt()]);
    await sees('ONLINE');
    const [{ id, floating_ips: floating }] = await listed('loadbalancers');
    const url = `http://${floating[0].floating_ip_address}/`;
    const answers = (name?: string) =>
      waitUntil(
        async () => {
          const said = await ask(url);
          return (name === undefined ? said : said === name && said) || undefined;
        },
        { what: `${name ?? 'a server'} to answer at ${url}`, intervalMs: 500 },
      );
    const first = await answers();

    const [dead, other] = first === 'one' ? [0, 'two'] : [1, 'one'];
    guests[dead]?.kill();
    await answers(other);
    await sees('DEGRADED');

    const listenerOf = async () =>
      (await behind('load-balancer', 'GET', '/listeners?fields=id')).listeners[0]?.id;
    const listener = await listenerOf();
    await behind('load-balancer', 'DELETE', `/listeners/${listener}`);
    await waitUntil(async () => ![undefined, listener].includes(await listenerOf()), {
      what: 'the listener',
      intervalMs: 500,
    });
    await answers(other);
    await sees('DEGRADED');
    const repairs = async () =>
      (await call('GET', `/virga/v1/audit_log?action=repair_loadbalancer`)).body.results.map(
        (each: { subject: string; subject_name: string }) => `${each.subject} ${each.subject_name}`,
      );
    await waitUntil(async () => (await repairs()).includes(`${id} listener: new`), { what: 'a note' });

    await its.removeBalancer();
    for (const guest of guests.splice(0)) await guest.close();
    for (const port of ports) {
      await done('PATCH', `${at('ports')}/${port}`, { security_group_ids: [] });
      await done('DELETE', `${at('reserved_fixed_ips')}/${port}`);
    }
    expect(await call('DELETE', `${at('securitygroups')}/${group}`)).toMatchObject({ status: 204 });
    await its.removeNetworks();
    await waitUntil(async () => isDeepStrictEqual(await inventory(), EMPTY), {
      what: 'an empty cloud',
      intervalMs: 2000,
    });
    await its.close();
    person = undefined;
  });
});
