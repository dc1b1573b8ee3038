import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rootFolder, stateFolder } from '../../scripts/openstack/place.mjs';
import { processesOf } from '../../scripts/openstack/processes.mjs';
import { createLog } from '../../server/src/kernel/log.ts';
import { createdOne } from '../harness/project.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, administrator, behind } from './calls.ts';
import { EMPTY, inventory, REGION, startCloudServer, takeTurns } from './cloud.ts';

/** What the real Nova accepts first and refuses later: the task ends with its sentence, nothing is left of it there, what
 *  was reserved here is given back, and the log says so to the operator. */

const at = (noun: string, version = 'v1', id = '') =>
  `/cloud/${version}/${noun}/1/${REGION}${id && `/${id}`}`;
const isConductor = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('nova-conductor');
const NO_ROOM = 'The region has no room for it: ';
/** Of its security group. */
const GROUP = { groups: 1, rules: 8 };

describe.skipIf(!access?.machines)(
  'late refusals of OpenStack (npm run openstack -- up --with-compute starts one)',
  () => {
    let server: TestServer;
    let body: object;
    let logged: string[] = [];
    let conductors: readonly number[] = [];
    let stopped: readonly number[] = [];
    takeTurns();
    beforeAll(async () => {
      const log = createLog('warn', { destination: { write: (line: string) => void logged.push(line) } });
      server = await startCloudServer('amphora', { log });
      conductors = processesOf(stateFolder(rootFolder())).filter(isConductor);
      const network_id = await made('networks', { name: 'around', create_router: false });
      const around = { name: 'around', network_id, cidr: '10.1.0.0/24', connect_to_network_router: false };
      const subnet_id = await made('subnets', around);
      const image_id = (await server.call('GET', at('images'))).body.results[0].id;
      body = {
        name: 'late',
        flavor: 'g1-standard-1-2',
        volumes: [{ source: 'image', image_id, size: 1, delete_on_termination: true }],
        interfaces: [{ type: 'subnet', network_id, subnet_id }],
      };
    });
    afterEach(async () => {
      logged = [];
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
      stopped = [];
      await administrator('compute', 'DELETE', `/os-quota-sets/${access?.project_id}`);
      await offer('enabled');
    });
    afterAll(() => server.close());

    const made = async (noun: string, its: object) =>
      createdOne(server, noun, await server.call('POST', at(noun), { body: its }));
    const usage = async () => (await server.call('GET', `/cloud/v2/regional_quotas/1/${REGION}`)).body;
    const accepted = async (url: string, its: object) => {
      const answer = await server.call('POST', url, { body: its });
      expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
      return answer;
    };
    /** Whether Nova may put machines on its only host. */
    const offer = async (status: 'enabled' | 'disabled') => {
      const { services } = await administrator('compute', 'GET', '/os-services?binary=nova-compute');
      for (const { id } of services) await administrator('compute', 'PUT', `/os-services/${id}`, { status });
    };
    const around = () => Object.assign({}, EMPTY, { networks: 1, subnets: 1 }, GROUP);

    test('a server for which no host is found', async () => {
      const before = await usage();
      await offer('disabled');
      const task = await server.ended(await accepted(at('instances', 'v2'), body));
      expect(task).toMatchObject({
        state: 'ERROR',
        error: expect.stringContaining(`${NO_ROOM}No valid host`),
      });
      expect(await usage()).toEqual(before);
      expect(logged.join('')).toContain('the region has no room: No valid host');
      // The first instance of a project makes its security group, whose rules follow by themselves.
      await waitUntil(async () => (await inventory()).rules === GROUP.rules, { what: 'rules of the group' });
      expect(await inventory()).toEqual(around());
    });

    test('a server beyond a quota that another one has filled meanwhile', async () => {
      const before = await usage();
      for (const pid of conductors) process.kill(pid, 'SIGSTOP');
      stopped = conductors;
      const answer = await accepted(at('instances', 'v2'), body);
      const servers = async () => (await behind('compute', 'GET', '/servers')).servers.length;
      await waitUntil(async () => (await servers()) === 1, { what: 'a server', intervalMs: 300 });
      const quota_set = { instances: 0 };
      await administrator('compute', 'PUT', `/os-quota-sets/${access?.project_id}`, { quota_set });
      for (const pid of conductors) process.kill(pid, 'SIGCONT');
      stopped = [];
      expect(await server.ended(answer)).toMatchObject({
        state: 'ERROR',
        error: expect.stringContaining(`${NO_ROOM}Quota exceeded`),
      });
      expect(await usage()).toEqual(before);
      expect(logged.join('')).toContain('the region has no room: Quota exceeded');
      expect(await inventory()).toEqual(around());
    });

    test('a size for which no host is found leaves the instance as it was', async () => {
      const id = await createdOne(server, 'instances', await accepted(at('instances', 'v2'), body));
      const before = await usage();
      await offer('disabled');
      const url = `${at('instances', 'v1', id)}/changeflavor`;
      const task = await server.ended(await accepted(url, { flavor_id: 'g1-standard-2-4' }));
      // Who is no administrator is not told that it was for want of a host.
      const says = 'could not change the size of the instance: it says why to its administrators alone';
      expect(task).toMatchObject({ state: 'ERROR', error: `The cloud ${says}` });
      expect(logged.join('')).toContain(`the cloud ${says}`);
      expect(await usage()).toEqual(before);
      expect((await server.call('GET', at('instances', 'v1', id))).body).toMatchObject({
        status: 'ACTIVE',
        flavor: { flavor_id: 'g1-standard-1-2' },
      });
      await server.ended(await server.call('DELETE', at('instances', 'v1', id)));
      expect(await inventory()).toEqual(around());
    });
  },
);
