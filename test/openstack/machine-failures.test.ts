import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import type { DesiredVolume } from '../../server/src/features/volumes/port.ts';
import { TaskFailed } from '../../server/src/kernel/errors.ts';
import type { Operation, Progress } from '../../server/src/kernel/operation.ts';
import {
  createOpenStack,
  type EngineObject,
  type EngineObjects,
  Session,
} from '../../server/src/providers/openstack/index.ts';
import { EXAMPLE } from '../../server/src/providers/openstack/testing/settings.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, administrator, behind, newImage } from './calls.ts';
import { EMPTY, emptyCloud, inventory, takeTurns } from './cloud.ts';

/** What goes wrong with images, volumes and instances, done to the real services: the provider alone, since what it says
 *  decides what tasks do. */

const [VOLUME, SNAPSHOT, IMAGE, INSTANCE, PORT] = Array.from({ length: 5 }, () => randomUUID()) as [
  string,
  string,
  string,
  string,
  string,
];

/** In memory, which the test may lose. */
function kept(): EngineObjects & { readonly map: Map<string, EngineObject> } {
  const map = new Map<string, EngineObject>();
  return {
    map,
    find: async (kind, id) => map.get(`${kind} ${id}`),
    all: async (kind) =>
      new Map(
        [...map].flatMap(([key, object]) => {
          const [its, id = ''] = key.split(' ');
          return its === kind ? [[id, object] as const] : [];
        }),
      ),
    save: async (kind, id, object) => void map.set(`${kind} ${id}`, object),
    saveCounters: async () => {},
    forget: async (id) => {
      for (const key of map.keys()) if (key.endsWith(id)) map.delete(key);
    },
  };
}

/** Answers of creations are lost: each of a kind once. */
function losing(): { readonly fetch: typeof fetch; readonly lost: string[] } {
  const lost: string[] = [];
  const fetched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const { pathname } = new URL(String(input));
    const isCreation =
      init?.method === 'POST' && /\/(volumes|snapshots|images|servers|os-keypairs)$/.test(pathname);
    if (!isCreation || lost.includes(pathname)) return answer;
    lost.push(pathname);
    throw new TypeError('fetch failed');
  };
  return { fetch: fetched, lost };
}

/** @param image the cloud's id of the image that every project sees */
function provider(requested: typeof fetch = fetch, image = access?.machines?.image_id ?? '') {
  const objects = kept();
  const { credential, auth_url, region_name, vip, external, machines } = access ?? EXAMPLE_ACCESS;
  const settings = Object.assign(
    {},
    EXAMPLE,
    { auth_url, region_name, vip, external },
    {
      instances: { flavors: machines?.flavors ?? {} },
      volumes: { types: machines?.volume_types ?? {} },
    },
  );
  const session = new Session({ settings, credential: () => credential, now: Date.now, fetch: requested });
  const { volumes, images, instances, addresses } = createOpenStack({
    settings,
    session,
    objects,
    now: Date.now,
    log: pino({ level: 'silent' }),
    publicImages: async () => new Map([['public', image]]),
    mayLook: async () => true,
  });
  if (!volumes || !images || !instances) throw new Error('the region has no machines');
  return { objects, volumes, images, instances, addresses };
}
const EXAMPLE_ACCESS = Object.assign({}, EXAMPLE, {
  credential: { id: '', secret: '' },
  machines: undefined,
});

const operation = (type: string): Operation => ({ key: 'task', type, name: 'x', acceptedAt: new Date() });

/** Applies until it is ready. @throws TaskFailed as a task would end with it */
const converged = (what: string, apply: () => Promise<Progress>) =>
  waitUntil(
    async () => {
      const outcome = await apply().catch((error: unknown) => {
        if (error instanceof TaskFailed) return error;
        throw error;
      });
      if (outcome instanceof TaskFailed) return outcome;
      return outcome.ready || undefined;
    },
    { what, intervalMs: 300 },
  ).then((outcome) => {
    if (outcome instanceof TaskFailed) throw outcome;
  });

const volume: DesiredVolume = {
  id: VOLUME,
  size: 1,
  type: 'standard',
  imageId: 'public',
  snapshotId: null,
  attachment: null,
};

describe.skipIf(!access?.machines)(
  'failures of machines of OpenStack (npm run openstack -- up --with-compute starts one)',
  () => {
    takeTurns();
    afterAll(emptyCloud);

    test('what was made by a call whose answer was lost is one thing, and goes as one', async () => {
      const { fetch: lossy, lost } = losing();
      const { volumes, images, instances, addresses, objects } = provider(lossy);
      const address = await addresses.allocateAddress(new Set(), PORT);
      const instance = {
        id: INSTANCE,
        flavor: { id: 'g1-standard-1-2', vcpus: 1, ram: 2048, gpus: 0 },
        power: 'running',
        boots: 0,
        interfaces: [{ portId: PORT, networkId: '', macAddress: '', addresses: [address] }],
        volumes: [VOLUME],
        serverGroup: null,
      } as const;
      const first = {
        hostname: 'web',
        sshPublicKey: KEY,
        userData: null,
        username: null,
        password: null,
      };
      await converged('a volume', () => volumes.applyVolume(volume, operation('create_volume')));
      await converged('a snapshot', () =>
        volumes.applySnapshot({ id: SNAPSHOT, volumeId: VOLUME }, operation('create_snapshot')),
      );
      // As after a worker was killed that knew what was made.
      objects.map.clear();
      await converged('an image', () =>
        images.applyImage({ id: IMAGE, source: { volumeId: VOLUME } }, operation('create_image')),
      );
      await converged('an instance', () => instances.applyInstance(instance, first, operation('create_vm')));
      await converged('an instance again', () =>
        instances.applyInstance(instance, null, operation('start_vm')),
      );
      expect(lost.map((path) => path.split('/').at(-1)).sort()).toEqual(
        ['os-keypairs', 'servers', 'snapshots', 'volumes'].sort(),
      );
      const all = { servers: 1, volumes: 1, attachments: 1, snapshots: 1, images: 1, ports: 1 };
      expect(await inventory()).toEqual(Object.assign({}, EMPTY, all));
      objects.map.clear();
      await converged('no instance', () => instances.removeInstance(INSTANCE, operation('delete_vm')));
      await converged('no image', () => images.removeImage(IMAGE, operation('delete_image')));
      await converged('no snapshot', () => volumes.removeSnapshot(SNAPSHOT, operation('delete_snapshot')));
      await converged('no volume', () => volumes.removeVolume(VOLUME, operation('delete_volume')));
      await addresses.releaseAddress(PORT);
      expect(await inventory()).toEqual(EMPTY);
    });

    test('what the cloud refuses ends with its sentence, and what is gone is not made anew', async () => {
      const { volumes, instances, objects } = provider();
      await expect(
        volumes.applyVolume(Object.assign({}, volume, { type: 'cold' }), operation('create_volume')),
      ).rejects.toThrow('This region has no volumes of the type cold');
      await converged('a volume', () => volumes.applyVolume(volume, operation('create_volume')));
      const { engineId } = objects.map.get(`volume ${VOLUME}`) ?? { engineId: '' };
      await converged('no volume', () => volumes.removeVolume(VOLUME, operation('delete_volume')));
      await objects.save('volume', VOLUME, { engineId, facts: {} });
      await expect(volumes.applyVolume(volume, operation('extend_volume'))).rejects.toThrow(
        'somebody deleted it outside of Virga',
      );
      await expect(instances.consoleOf(INSTANCE, 'typewriter')).rejects.toThrow(
        'There is no console typewriter',
      );
      await objects.forget(VOLUME);
      expect(await inventory()).toEqual(EMPTY);
    });

    test('of an image that the cloud has lost, or lets nobody read, nothing is made', async () => {
      const made = (image: string) =>
        provider(fetch, image).volumes.applyVolume(volume, operation('create_vm'));
      const whatToDo = 'choose another one, or ask the operator of the region';
      const picture = await newImage('picture');
      await administrator('image', 'POST', `/images/${picture}/actions/deactivate`);
      await expect(made(picture)).rejects.toThrow(
        new TaskFailed(`The cloud says that the image is deactivated: ${whatToDo}`),
      );
      await behind('image', 'DELETE', `/images/${picture}`);
      await expect(made(picture)).rejects.toThrow(
        new TaskFailed(`The cloud has no such image any more: ${whatToDo}`),
      );
      expect(await inventory()).toEqual(EMPTY);
    });
  },
);

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGm3wB2PZ3yW1m2l7h8n3jW5u7f5c7z2b3d4e5f6g7h8';
