import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createdOne } from '../harness/project.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, administrator, behind, newImage } from './calls.ts';
import { EMPTY, inventory, REGION, startCloudServer, takeTurns } from './cloud.ts';

/** What somebody else deletes or breaks in the real Cinder and Glance: shown at the next look, never made anew. */

const at = (noun: string, id = '') => `/cloud/v1/${noun}/1/${REGION}${id && `/${id}`}`;

describe.skipIf(!access?.machines)(
  'losses of disks of OpenStack (npm run openstack -- up --with-compute starts one)',
  () => {
    let server: TestServer;
    /** The cloud's id of an image that every project sees. */
    let picture: string;
    takeTurns();
    beforeAll(async () => {
      picture = await newImage('picture');
      server = await startCloudServer('amphora', {}, REGION, { picture });
    });
    afterAll(() => server.close());

    const made = async (noun: string, body: object) =>
      createdOne(server, noun, await server.call('POST', at(noun), { body }));
    const ended = async (method: string, url: string, body?: object) => {
      const accepted = await server.call(method, url, { body });
      expect(accepted, JSON.stringify(accepted.body)).toMatchObject({ status: 200 });
      return server.ended(accepted);
    };
    const deleted = async (noun: string, id: string) =>
      expect(await ended('DELETE', at(noun, id))).toMatchObject({ state: 'FINISHED', error: null });
    const engineIdOf = async (id: string): Promise<string> => {
      const url = `/virga/v1/engine_objects?resource_id=${id}`;
      return (await server.call('GET', url, { as: 'operator' })).body.results[0].engine_id;
    };
    const becomes = (noun: string, id: string, status: string) =>
      waitUntil(async () => (await server.call('GET', at(noun, id))).body.status === status, {
        what: `${noun} ${status}`,
        intervalMs: 500,
      });
    const reasons = async () => {
      const { results } = (await server.call('GET', '/virga/v1/attention/1')).body;
      return new Map(results.map(({ id, reason }: { id: string; reason: string }) => [id, reason]));
    };
    const disk = { source: 'new-volume', name: 'disk', size: 1 };
    const reset = async (noun: 'volumes' | 'snapshots', id: string, status: string) => {
      const action = { 'os-reset_status': { status } };
      await administrator('block-storage', 'POST', `/${noun}/${await engineIdOf(id)}/action`, action);
    };

    test('an image of everybody is listed while the cloud has it, and else nothing is made of it', async () => {
      const list = async () => (await server.call('GET', at('images'))).body;
      const named = async () => (await list()).results.map(({ name }: { name: string }) => name);
      expect(await named()).toEqual(['tiny', 'picture']);
      const image = (await list()).results[1].id;
      await administrator('image', 'POST', `/images/${picture}/actions/deactivate`);
      await becomes('images', image, 'error');
      expect(await list()).toMatchObject({ count: 1, results: [{ name: 'tiny' }] });
      await administrator('image', 'POST', `/images/${picture}/actions/reactivate`);
      await becomes('images', image, 'active');
      expect(await named()).toEqual(['tiny', 'picture']);
      await behind('image', 'DELETE', `/images/${picture}`);
      await becomes('images', image, 'error');
      expect(await named()).toEqual(['tiny']);
      const volumes = [{ source: 'image', image_id: image, size: 1, delete_on_termination: true }];
      const body = { name: 'mine', flavor: 'g1-standard-1-2', volumes, interfaces: [{ type: 'external' }] };
      const refused = await server.call('POST', `/cloud/v2/instances/1/${REGION}`, { body });
      expect(refused).toMatchObject({ status: 400 });
      expect(JSON.stringify(refused.body)).toContain(
        `image ${image} is error, and nothing can be made of it: the cloud has no such image any more: choose another one`,
      );
      expect([...(await reasons()).keys()]).toEqual([]);
      expect(await inventory()).toEqual(EMPTY);
    });

    test('a snapshot and an image that somebody deletes are lost, and can be deleted here', async () => {
      const volume = await made('volumes', disk);
      const snapshot = await made('snapshots', { name: 'kept', volume_id: volume });
      const other = await made('snapshots', { name: 'older', volume_id: volume });
      const image = await made('images', { name: 'picture', volume_id: volume, source: 'volume' });
      const engines = [await engineIdOf(snapshot), await engineIdOf(image)];
      await behind('block-storage', 'DELETE', `/snapshots/${engines[0]}`);
      await behind('image', 'DELETE', `/images/${engines[1]}`);
      await becomes('snapshots', snapshot, 'error');
      await becomes('images', image, 'error');
      const says = await reasons();
      const gone = (noun: string) =>
        `The ${noun} is not there in the cloud any more: somebody deleted it outside of Virga, and what it held is gone`;
      expect([says.get(snapshot), says.get(image)]).toEqual([gone('snapshot'), gone('image')]);
      expect(says.has(other)).toBe(false);
      const copy = { source: 'snapshot', snapshot_id: snapshot, name: 'copy' };
      expect(await server.call('POST', at('volumes'), { body: copy })).toMatchObject({ status: 400 });
      const { body: log } = await server.call('GET', '/virga/v1/audit_log');
      const actions = log.results.map(({ action }: { action: string }) => action);
      expect(actions).toEqual(expect.arrayContaining(['note_snapshot', 'note_image']));
      expect(await inventory()).toEqual(Object.assign({}, EMPTY, { volumes: 1, snapshots: 1 }));
      await deleted('images', image);
      for (const id of [snapshot, other]) await deleted('snapshots', id);
      await deleted('volumes', volume);
      expect(await inventory()).toEqual(EMPTY);
    });

    test('what the cloud sets to an error is shown as one until it is well again', async () => {
      const volume = await made('volumes', disk);
      const snapshot = await made('snapshots', { name: 'kept', volume_id: volume });
      const image = await made('images', { name: 'picture', volume_id: volume, source: 'volume' });
      const picture = await engineIdOf(image);
      await reset('volumes', volume, 'error_extending');
      await reset('snapshots', snapshot, 'error');
      await administrator('image', 'POST', `/images/${picture}/actions/deactivate`);
      await becomes('volumes', volume, 'error');
      await becomes('snapshots', snapshot, 'error');
      await becomes('images', image, 'error');
      const says = await reasons();
      const repair = 'ask the operator of the region to repair it, or delete it';
      expect([says.get(volume), says.get(snapshot), says.get(image)]).toEqual([
        `The cloud says that the volume is error_extending: ${repair}`,
        `The cloud says that the snapshot is error: ${repair}`,
        `The cloud says that the image is deactivated: ${repair}`,
      ]);
      await reset('volumes', volume, 'available');
      await reset('snapshots', snapshot, 'available');
      await administrator('image', 'POST', `/images/${picture}/actions/reactivate`);
      await becomes('volumes', volume, 'available');
      await becomes('snapshots', snapshot, 'available');
      await becomes('images', image, 'active');
      expect([...(await reasons()).keys()]).toEqual([]);
      await deleted('snapshots', snapshot);
      await deleted('images', image);
      // It is broken, and nobody has looked yet.
      await reset('volumes', volume, 'error');
      const usage = () => server.call('GET', `/cloud/v2/regional_quotas/1/${REGION}`);
      const before = (await usage()).body;
      expect(await ended('POST', `${at('volumes', volume)}/extend`, { size: 2 })).toMatchObject({
        state: 'ERROR',
        error: 'The volume is error in the cloud',
      });
      expect((await usage()).body).toEqual(before);
      await becomes('volumes', volume, 'error');
      await deleted('volumes', volume);
      expect(await inventory()).toEqual(EMPTY);
    });
  },
);
