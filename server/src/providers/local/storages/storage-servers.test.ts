import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OwnerFence } from '../host/owner-fence.ts';
import { homeOf, type StorageServer, StorageServers } from './storage-servers.ts';

let dataDir: string;
let fence: OwnerFence;

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'virga-storages-'));
  chmodSync(dataDir, 0o711);
  fence = new OwnerFence(dataDir);
  await fence.takeOver(1);
});

afterEach(async () => {
  await fence.release();
  rmSync(dataDir, { recursive: true });
});

/** Storages of which this is noted. */
function serversWith(
  notesOf: (id: string) => StorageServer['notes'],
  warnings: string[] = [],
): StorageServers<StorageServer> {
  return new StorageServers<StorageServer>({
    dataDir,
    fence,
    log: { warn: (_, message) => warnings.push(message) },
    now: () => new Date(),
    addresses: { add: async () => false, remove: async () => undefined },
    allocateAddress: async () => '127.0.0.1',
    folder: 'storages',
    kind: 'sftp_storage',
    creating: 'create_sftp_storage',
    undoing: 'undo_sftp_storage',
    usage: { trafficOf: () => new Map(), isOwn: () => false },
    serverOf: (root, id) => {
      const home = homeOf(root, id);
      const paths = {
        id,
        home,
        data: home,
        traffic: path.join(home, 'traffic'),
        report: path.join(home, 'report'),
      };
      return {
        paths,
        get notes() {
          return notesOf(id);
        },
        stop: async () => undefined,
      };
    },
    makeFolders: () => undefined,
    removeFolders: async () => undefined,
  });
}

test('folders tell that storages are here: what is noted of them is not read', () => {
  const servers = serversWith(() => {
    throw new Error('EIO: i/o error');
  });
  expect(servers.hasData()).toBe(false);
  mkdirSync(homeOf(servers.root, '7'), { recursive: true });
  expect(servers.hasData()).toBe(true);
  expect(() => servers.kept()).toThrow('EIO');
});

test('only a storage that was made here to its end is served here', async () => {
  const warnings: string[] = [];
  const notes: Record<string, StorageServer['notes']> = {
    1: { creator: 'task' },
    2: { creator: 'task', isNew: true },
    3: null,
  };
  const servers = serversWith((id) => notes[id] ?? null, warnings);
  for (const id of Object.keys(notes)) mkdirSync(homeOf(servers.root, id), { recursive: true });
  const look = () =>
    servers.observe(['1', '2', '3'], async (id) => ({ id }), {
      what: 'a storage',
      look: async (_, { id }) => `looked at ${id}`,
    });
  const unserved = { fault: expect.stringContaining('does not have the data of this storage') };
  const seen = new Map<string, unknown>([
    ['1', 'looked at 1'],
    ['2', unserved],
    ['3', unserved],
  ]);
  expect(await look()).toEqual(seen);
  expect(await look()).toEqual(seen);
  // The log has it once.
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('does not have the data of this storage');
  const operation = { key: 'task', type: 'update', name: '', acceptedAt: new Date(0) };
  await expect(servers.change('2', (server) => servers.prepare(server, operation))).rejects.toThrow(
    'does not have the data of this storage',
  );
  // Nothing here has changed, so that there is nothing to undo.
  const undoing = { ...operation, type: 'undo_sftp_storage' };
  const isLeftAlone = (id: string) =>
    servers.change(id, async (server) => servers.isLeftAlone(server, undoing));
  expect([await isLeftAlone('1'), await isLeftAlone('2')]).toEqual([false, true]);
});
