import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import {
  type DesiredStorage,
  type ObjectStorageProvider,
  type ObservedStorage,
  RESTORE_STORAGE,
  type RemovedStorage,
  type StorageChange,
} from '../../../features/object-storage/port.ts';
import type { DesiredNow } from '../../../kernel/desired.ts';
import { removeFolder } from '../../../kernel/files.ts';
import type { Leftover } from '../../../kernel/leftover.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import type { Engine, EngineHost } from '../host/engine.ts';
import { withRoom } from '../host/full-disk.ts';
import type { Programs } from '../host/reconciler.ts';
import { hostOf, StorageServers } from '../storages/storage-servers.ts';
import { applyAll } from './apply.ts';
import { BucketLook } from './bucket-look.ts';
import { expire } from './expire.ts';
import { PORT } from './gateway.ts';
import type { Step } from './next.ts';
import { makeFolders, pathsOf, removeFolders } from './paths.ts';
import { trafficOf } from './requests.ts';
import { Server, type ServerDeps } from './server.ts';

export interface LocalObjectStorageOptions extends EngineHost, ServerDeps {
  /** Its addresses are such that others can reach: it speaks TLS alone there. */
  readonly isReachable: boolean;
}

/** What the server keeps for itself in buckets: parts of uploads that are under way, and locks. */
const OWN = new Set(['.sgwtmp', '.vgwlocks']);
const EXPIRE_EVERY_MS = 3_600_000;

/** S3 servers of this machine, one for each storage, each on an address of its own. */
export class LocalObjectStorage implements ObjectStorageProvider, Engine {
  readonly folder = 'object-storage';
  readonly #options: LocalObjectStorageOptions;
  readonly #servers: StorageServers<Server>;
  readonly #closing = new AbortController();
  readonly #looks = new Map<string, BucketLook>();

  constructor(options: LocalObjectStorageOptions) {
    this.#options = options;
    this.#servers = new StorageServers({
      ...options,
      folder: this.folder,
      kind: 'object_storage',
      creating: 'create_object_storage',
      undoing: RESTORE_STORAGE,
      usage: { trafficOf, isOwn: (name) => OWN.has(name) },
      serverOf: (root, id) => new Server(pathsOf(root, id), options),
      makeFolders,
      removeFolders,
    });
  }

  unavailable = (): string | undefined => this.#options.engine.fault();

  /** Addresses of all storages, whether they run or not. */
  addresses = (): string[] => this.#servers.addresses();

  addressOf = async (id: string): Promise<string> => {
    const scheme = this.#options.isReachable ? 'https' : 'http';
    return `${scheme}://${await this.#servers.hostOf(id)}:${PORT}`;
  };

  async applyStorage(
    desired: DesiredStorage,
    change: StorageChange,
    operation: Operation,
  ): Promise<Progress> {
    await this.#servers.change(desired.id, async (server) => {
      if (this.#servers.isLeftAlone(server, operation)) return;
      await withRoom(this.#servers.root, async () => {
        await this.#prepare(server, desired, operation);
        await this.#serve(server, desired);
        await applyAll(server, desired, change.retracted);
        settle(server);
      });
    });
    return READY;
  }

  async removeStorage({ id, keepsFiles }: RemovedStorage, _operation: Operation): Promise<Progress> {
    await this.#servers.change(id, async (server) => {
      await this.#servers.end(server);
      this.#looks.delete(id);
      const { notes, paths } = server;
      if (!keepsFiles || notes === null) return removeFolders(paths);
      const { host: _given, ...rest } = notes;
      server.note(rest);
      await removeFolder(paths.sockets);
    });
    return READY;
  }

  pause = (id: string): Promise<void> => this.#servers.pause(id);

  acknowledge = (id: string, reportId: string): Promise<void> => this.#servers.acknowledge(id, reportId);

  async purge(id: string): Promise<void> {
    await this.#servers.change(id, async (server) => {
      if (server.notes?.host === undefined) await removeFolders(server.paths);
    });
  }

  observeStorages = (ids: readonly string[], desired: DesiredNow<DesiredStorage>) =>
    this.#servers.observe(ids, desired, {
      what: 'a storage',
      look: (server, each) => this.#observe(server, each),
    });

  kept = (): readonly Leftover[] => this.#servers.kept();

  hasData = (): boolean => this.#servers.hasData();

  clear = (id: string): Promise<void> => this.#servers.clear(id);

  release = (programs: Programs): Promise<void> => this.#servers.release(programs);

  /** What takes long goes on with the next server. */
  close = (programs: Programs): Promise<void> => {
    this.#closing.abort(new Error('the server stops'));
    return this.#servers.close(programs);
  };

  /** Its folders, and what is noted of it. */
  async #prepare(server: Server, desired: DesiredStorage, operation: Operation): Promise<void> {
    await this.#servers.prepare(server, operation);
    const { notes, paths } = server;
    const host = hostOf(desired);
    if (notes === null) {
      const root = { access: 'root', secret: randomBytes(30).toString('base64url') };
      server.note({ creator: operation.key, host, root, applied: {}, isNew: true });
    } else if (notes.host !== host) server.note({ ...notes, host });
    accessSync(paths.data, constants.R_OK);
  }

  /** Brings back what died, and sees what there is. */
  async #observe(server: Server, desired: DesiredStorage): Promise<ObservedStorage> {
    const taken = await this.#serve(server, desired);
    if (taken.length > 0) {
      await applyAll(server, desired, []);
      this.#options.log.warn({ storage: desired.id }, 'a storage that had ended is back');
    }
    await this.#expire(server, desired);
    const look = this.#looks.get(desired.id) ?? new BucketLook();
    this.#looks.set(desired.id, look);
    const buckets = await look.look(server, desired.keys);
    const names = buckets.map(({ name }) => name);
    return { buckets, ...(await this.#servers.reportOf(server, names, this.#options.now())) };
  }

  async #serve(server: Server, desired: DesiredStorage): Promise<readonly Step[]> {
    await this.#servers.settle(hostOf(desired));
    return server.serve(hostOf(desired), desired.tls);
  }

  async #expire(server: Server, { buckets }: DesiredStorage): Promise<void> {
    const { notes } = server;
    const now = this.#options.now();
    if (!notes || now.getTime() - (notes.expiredAt ?? 0) < EXPIRE_EVERY_MS) return;
    await expire(server, buckets, now, this.#closing.signal);
    server.note({ ...notes, expiredAt: now.getTime() });
  }
}

/** From here on its data are here. */
function settle(server: Server): void {
  if (!server.notes?.isNew) return;
  const { isNew: _, ...notes } = server.notes;
  server.note(notes);
}

export const createLocalObjectStorage = (options: LocalObjectStorageOptions) =>
  new LocalObjectStorage(options);
