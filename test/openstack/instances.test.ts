import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST, rootFolder, stateFolder } from '../../scripts/openstack/place.mjs';
import { COMPUTE } from '../compat/life-cycles/compute.ts';
import { live, olderOf } from '../compat/life-cycles/life-cycle.ts';
import { made, type Scene, scoped } from '../compat/life-cycles/scene.ts';
import { addSshKey } from '../harness/kubernetes.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, administrator, behind } from './calls.ts';
import { EMPTY, type Inventory, inventory, startCloudServer, takeTurns } from './cloud.ts';

/** Images, volumes, snapshots and instances on the real Glance, Cinder and Nova: the lives of clients, and what is left
 *  of them. */

/** The one in which the lives happen. */
const HERE = 2;
const DEFAULT_GROUP = { groups: 1, rules: 8 };
const LIVES = ['volume', 'snapshot', 'image', 'server group', 'instance'];

/** What Cinder has of a volume: a file of this machine. */
const fileOf = (engineId: string) => path.join(stateFolder(rootFolder()), 'volumes', engineId);
const contents = (engineId: string) =>
  readFileSync(fileOf(engineId)).subarray(0, 16).toString().replace(/\0+$/, '');

describe.skipIf(!access?.machines)(
  'machines of OpenStack (npm run openstack -- up --with-compute starts one)',
  () => {
    let server: TestServer;
    let scene: Scene;
    let around: Inventory;
    takeTurns();
    beforeAll(async () => {
      server = await startCloudServer('amphora', {}, HERE);
      const network = await made(server, scoped('networks'), { name: 'around' }, 'networks');
      const own = { name: 'around', network_id: network, cidr: '10.1.0.0/24' };
      const subnet = await made(server, scoped('subnets'), own, 'subnets');
      const { results } = (await server.call('GET', scoped('images'))).body;
      expect(results.map(({ name }: { name: string }) => name)).toEqual(['tiny']);
      scene = { server, network, subnet, image: results[0].id } as Scene;
      around = Object.assign({}, EMPTY, { networks: 1, subnets: 1, routers: 1, interfaces: 1, ports: 1 });
    });
    afterAll(() => server.close());

    test.each(LIVES)('the life of a %s leaves nothing behind', async (kind) => {
      const cycleOf = COMPUTE[kind];
      if (!cycleOf) throw new Error(`there is no ${kind}`);
      const cycle = await cycleOf(scene);
      const within = await inventory();
      await live(server, cycle);
      // The address of the image of older clients leads nowhere.
      if (cycle.older && kind !== 'image') await live(server, olderOf(cycle));
      // The default security group of the project is there from its first instance on.
      if (kind === 'instance') for (const has of [within, around]) Object.assign(has, DEFAULT_GROUP);
      expect(await inventory()).toEqual(within);
      const { results } = (await server.call('GET', scoped('volumes'))).body;
      for (const { id } of results)
        await server.ended(await server.call('DELETE', `${scoped('volumes')}/${id}`));
      expect(await inventory()).toEqual(around);
    });

    const engineIdOf = async (id: string): Promise<string> => {
      const url = `/virga/v1/engine_objects?resource_id=${id}`;
      const { body } = await server.call('GET', url, { as: 'operator' });
      return body.results[0].engine_id;
    };
    const ended = async (method: string, url: string, body?: object) => {
      const accepted = await server.call(method, url, { body });
      expect(accepted, JSON.stringify(accepted.body)).toMatchObject({ status: 200 });
      return server.ended(accepted);
    };
    const done = async (method: string, url: string, body?: object) => {
      const task = await ended(method, url, body);
      expect(task).toMatchObject({ state: 'FINISHED', error: null });
      return task;
    };
    const volumes = (id = '', version = 'v1') => `${scoped('volumes', version)}${id && `/${id}`}`;
    const usage = async () =>
      (await server.call('GET', `/cloud/v2/regional_quotas/1/${HERE}`)).body as Record<string, number>;
    const attention = async () =>
      (await server.call('GET', '/virga/v1/attention/1')).body.results as { id: string; reason: string }[];
    const instanceBody = (more: object = {}) => ({
      name: 'my machine',
      flavor: 'g1-standard-1-2',
      volumes: [{ source: 'image', image_id: scene.image, size: 1, delete_on_termination: true }],
      interfaces: [{ type: 'subnet', network_id: scene.network, subnet_id: scene.subnet }],
      ...more,
    });

    test('volumes, snapshots and images hold what they are made of', async () => {
      const from = { source: 'image', image_id: scene.image, name: 'disk', size: 1 };
      const volume = await made(server, volumes(), from, 'volumes');
      const engine = await engineIdOf(volume);
      expect(contents(engine)).toBe('tinytinytinytiny');
      writeFileSync(fileOf(engine), 'as it was kept  ', { flag: 'r+' });
      const kept = { name: 'kept', volume_id: volume };
      const snapshot = await made(server, scoped('snapshots'), kept, 'snapshots');
      writeFileSync(fileOf(engine), 'and then changed', { flag: 'r+' });
      const copy = { source: 'snapshot', snapshot_id: snapshot, name: 'copy', type_name: 'ssd_hiiops' };
      const other = await made(server, volumes(), copy, 'volumes');
      expect(contents(await engineIdOf(other))).toBe('as it was kept  ');
      expect(await server.call('POST', `${volumes(volume)}/revert`)).toMatchObject({ status: 200 });
      expect(contents(engine)).toBe('as it was kept  ');
      const picture = { name: 'picture', volume_id: volume, source: 'volume' };
      const image = await made(server, scoped('images'), picture, 'images');
      const again = { source: 'image', image_id: image, name: 'again', size: 1 };
      const third = await made(server, volumes(), again, 'volumes');
      expect(contents(await engineIdOf(third))).toBe('as it was kept  ');
      expect(await inventory()).toEqual(Object.assign({}, around, { volumes: 3, snapshots: 1, images: 1 }));
      await done('DELETE', `${scoped('snapshots')}/${snapshot}`);
      await done('DELETE', `${scoped('images')}/${image}`);
      for (const id of [volume, other, third]) await done('DELETE', volumes(id));
    });

    test('Glance fetches images from addresses, and says when it cannot', async () => {
      const pictures = createServer(({ url }, answer) => {
        answer.statusCode = url === '/picture.raw' ? 200 : 404;
        answer.end('from elsewhere! ');
      });
      await new Promise<void>((resolve) => void pictures.listen(0, HOST, resolve));
      const { port } = pictures.address() as { port: number };
      const bodyOf = (name: string) => ({
        name: 'fetched',
        url: `http://${HOST}:${port}/${name}.raw`,
        os_type: 'linux',
      });
      const image = await made(server, scoped('downloadimage'), bodyOf('picture'), 'images');
      const from = { source: 'image', image_id: image, name: 'disk', size: 1 };
      const volume = await made(server, volumes(), from, 'volumes');
      expect(contents(await engineIdOf(volume))).toBe('from elsewhere! ');
      await done('DELETE', volumes(volume));
      await done('DELETE', `${scoped('images')}/${image}`);
      const failed = await ended('POST', scoped('downloadimage'), bodyOf('nothing'));
      expect(failed).toMatchObject({
        state: 'ERROR',
        error: expect.stringContaining('The cloud could not fetch'),
      });
      expect(await usage()).toMatchObject({ image_count_usage: 0 });
      pictures.close();
      expect(await inventory()).toEqual(around);
    });

    test('an instance does in Nova what it is told here', async () => {
      await addSshKey(server);
      const { body: group } = await server.call('POST', scoped('servergroups'), {
        body: { name: 'apart', policy: 'anti-affinity' },
      });
      const more = { ssh_key_name: 'operator key', servergroup_id: group.servergroup_id };
      const id = await made(server, scoped('instances', 'v2'), instanceBody(more), 'instances');
      const engine = await engineIdOf(id);
      const nova = async () => (await behind('compute', 'GET', `/servers/${engine}`)).server;
      expect(await nova()).toMatchObject({
        status: 'ACTIVE',
        'OS-EXT-SRV-ATTR:hostname': 'my-machine',
        key_name: `virga-${id}`,
        tags: [`virga:${id}`],
      });
      const one = { servers: 1, server_groups: 1, volumes: 1, attachments: 1, ports: 2 };
      expect(await inventory()).toEqual(Object.assign({}, around, one));
      const act = async (action: string) => {
        await done('POST', `${scoped('instances', 'v2')}/${id}/action`, { action });
        const { body } = await server.call('GET', `${scoped('instances')}/${id}`);
        expect((await nova()).status).toBe(body.status);
        return body.status;
      };
      const told = ['stop', 'start', 'reboot', 'reboot_hard', 'suspend', 'resume'];
      const became: string[] = [];
      for (const action of told) became.push(await act(action));
      expect(became).toEqual(['SHUTOFF', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'SUSPENDED', 'ACTIVE']);
      const { body: opened } = await server.call('GET', `${scoped('instances')}/${id}/get_console`);
      expect(opened.remote_console).toMatchObject({ type: 'novnc', url: expect.stringMatching(/^http/) });

      const data = await made(server, volumes(), { source: 'new-volume', name: 'data', size: 1 }, 'volumes');
      await done('POST', `${volumes(data, 'v2')}/attach`, { instance_id: id });
      await done('POST', `${volumes(data)}/extend`, { size: 2 });
      const attached = (await nova())['os-extended-volumes:volumes_attached'];
      expect(attached.map((each: { id: string }) => each.id)).toContain(await engineIdOf(data));
      const second = { type: 'subnet', subnet_id: scene.subnet };
      await done('POST', `${scoped('instances')}/${id}/attach_interface`, second);
      const { body: shown } = await server.call('GET', `${scoped('instances')}/${id}/interfaces`);
      expect(shown.results).toHaveLength(2);
      const seen = (await behind('compute', 'GET', `/servers/${engine}/os-interface`)).interfaceAttachments;
      const addresses = (all: { ip_address: string }[]) => all.map(({ ip_address }) => ip_address);
      expect(seen.flatMap((each: { fixed_ips: [] }) => addresses(each.fixed_ips)).sort()).toEqual(
        shown.results.flatMap((each: { ip_assignments: [] }) => addresses(each.ip_assignments)).sort(),
      );
      const last = shown.results.at(-1);
      await done('POST', `${scoped('instances')}/${id}/detach_interface`, {
        port_id: last.port_id,
        ip_address: last.ip_assignments[0].ip_address,
      });
      await done('POST', `${scoped('instances')}/${id}/changeflavor`, { flavor_id: 'g1-standard-2-4' });
      expect((await nova()).flavor).toMatchObject({ vcpus: 2, ram: 4096 });
      expect(await server.call('POST', `${scoped('instances')}/${id}/remove_from_servergroup`)).toMatchObject(
        { status: 403, body: { message: expect.stringContaining('join or leave') } },
      );
      await done('DELETE', `${scoped('instances')}/${id}`);
      await done('DELETE', volumes(data));
      await done('DELETE', `${scoped('servergroups')}/${group.servergroup_id}`);
      expect(await inventory()).toEqual(around);
    });

    test('only what the entry of the region names is offered', async () => {
      const { body: flavors } = await server.call('GET', `/cloud/v1/flavors/1/${HERE}`);
      expect(flavors.results.map(({ flavor_id: id }: { flavor_id: string }) => id)).toEqual(
        Object.keys(access?.machines?.flavors ?? {}),
      );
      const big = instanceBody({ flavor: 'g1-standard-16-64' });
      expect(await server.call('POST', scoped('instances', 'v2'), { body: big })).toMatchObject({
        status: 400,
        body: { invalid_fields: { flavor: [expect.stringContaining('g1-standard-1-2, g1-standard-2-4')] } },
      });
      const cold = { source: 'new-volume', name: 'cold', size: 1, type_name: 'cold' };
      expect(await server.call('POST', volumes(), { body: cold })).toMatchObject({ status: 400 });
    });

    test('where the cloud has no room a task says so, and what it had reserved here is given back', async () => {
      const before = await usage();
      const setOf = (service: 'compute' | 'block-storage', quota_set: object) =>
        administrator(service, 'PUT', `/os-quota-sets/${access?.project_id}`, { quota_set });
      const isFull = { state: 'ERROR', error: expect.stringMatching(/^The region has no room for it: /) };
      await setOf('compute', { instances: 0 });
      expect(await ended('POST', scoped('instances', 'v2'), instanceBody())).toMatchObject(isFull);
      await setOf('block-storage', { gigabytes: 0 });
      const disk = { source: 'new-volume', name: 'disk', size: 1 };
      expect(await ended('POST', volumes(), disk)).toMatchObject(isFull);
      for (const service of ['compute', 'block-storage'] as const)
        await administrator(service, 'DELETE', `/os-quota-sets/${access?.project_id}`);
      expect(await usage()).toEqual(before);
      expect(await inventory()).toEqual(around);
    });

    test('what somebody else stops is shown, and what somebody else deletes is never made anew', async () => {
      const id = await made(server, scoped('instances', 'v2'), instanceBody(), 'instances');
      const disk = await made(server, volumes(), { source: 'new-volume', name: 'disk', size: 1 }, 'volumes');
      const engine = await engineIdOf(id);
      const statusOf = async (url: string) => (await server.call('GET', url)).body.status;
      const becomes = (url: string, status: string) =>
        waitUntil(async () => (await statusOf(url)) === status, { what: status, intervalMs: 500 });
      await behind('compute', 'POST', `/servers/${engine}/action`, { 'os-stop': null });
      await becomes(`${scoped('instances')}/${id}`, 'SHUTOFF');
      await behind('compute', 'DELETE', `/servers/${engine}`);
      await behind('block-storage', 'DELETE', `/volumes/${await engineIdOf(disk)}`);
      await becomes(`${scoped('instances')}/${id}`, 'ERROR');
      await becomes(volumes(disk), 'error');
      const gone = expect.stringContaining('somebody deleted it outside of Virga');
      const named = await attention();
      expect(named).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id, reason: gone }),
          expect.objectContaining({ id: disk, reason: gone }),
        ]),
      );
      const start = { action: 'start' };
      const task = await ended('POST', `${scoped('instances', 'v2')}/${id}/action`, start);
      expect(task).toMatchObject({ state: 'ERROR', error: gone });
      const { body: log } = await server.call('GET', '/virga/v1/audit_log');
      const actions = log.results.map(({ action }: { action: string }) => action);
      expect(actions).toEqual(expect.arrayContaining(['note_instance', 'note_volume']));
      await done('DELETE', `${scoped('instances')}/${id}`);
      await done('DELETE', volumes(disk));
      expect(await inventory()).toEqual(around);
    });
  },
);
