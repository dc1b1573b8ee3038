import { randomBytes } from 'node:crypto';
import { accessSync, constants, rmSync } from 'node:fs';
import { join } from 'node:path';
import type {
  DesiredStorage,
  ObjectStorageProvider,
  ObservedStorage,
  RemovedStorage,
  StorageChange,
} from '../../../features/object-storage/port.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import { withRoom } from '../full-disk.ts';
import { engineRoot } from '../load-balancers/engine-root.ts';
import { makePassage } from '../load-balancers/files.ts';
import { hurried } from '../load-balancers/programs.ts';
import { eachAtMost, Serial } from '../load-balancers/serial.ts';
import { NotOwner, type OwnerFence } from '../owner-fence.ts';
import { applyAll } from './apply.ts';
import { expire } from './expire.ts';
import { PORT } from './gateway.ts';
import { makePlace, placeOf, placesIn, removePlace } from './place.ts';
import { Server } from './server.ts';
import { Usage } from './usage.ts';

export interface LocalObjectStorageOptions {
  readonly dataDir: string;
  readonly log: { warn(details: object, message: string): void };
  readonly fence: Pick<OwnerFence, 'hold' | 'isOwner'>;
  /** The S3 server as it is found on this machine. */
  readonly engine: { program(): string | undefined; fault(): string | undefined };
  /** A free address of this machine. */
  readonly allocateAddress: (taken: ReadonlySet<string>) => Promise<string>;
  readonly now: () => Date;
}

const SIDE_BY_SIDE = 4;
const EXPIRE_EVERY_MS = 3_600_000;
const CREATE = 'create_object_storage';

/** S3 servers of this machine, one for each storage, each on an address of its own. */
export class LocalObjectStorage implements ObjectStorageProvider {
  readonly #options: LocalObjectStorageOptions;
  readonly #root: string;
  readonly #serial = new Serial();
  readonly #usages = new Map<string, Usage>();
  #closed = false;

  constructor(options: LocalObjectStorageOptions) {
    this.#options = options;
    this.#root = engineRoot(join(options.dataDir, 'object-storage'));
    makePassage(this.#root);
  }

  unavailable(): string | undefined {
    return this.#options.engine.fault();
  }

  /** Addresses of all storages, whether they run or not. */
  addresses(): string[] {
    return placesIn(this.#root).flatMap((id) => this.#server(id).notes?.host ?? []);
  }

  async addressOf(id: string): Promise<string> {
    const known = this.#server(id).notes?.host;
    const host = known ?? (await this.#options.allocateAddress(new Set()));
    return `http://${host}:${PORT}`;
  }

  async applyStorage(
    desired: DesiredStorage,
    change: StorageChange,
    operation: Operation,
  ): Promise<Progress> {
    await this.#change(desired.id, () =>
      withRoom(this.#root, async () => {
        const server = this.#server(desired.id);
        await this.#prepare(server, desired, operation);
        await server.start(this.#program(), hostOf(desired));
        await applyAll(server, desired, change.retracted);
      }),
    );
    return READY;
  }

  async removeStorage({ id, keepsFiles }: RemovedStorage, _operation: Operation): Promise<Progress> {
    await this.#change(id, async () => {
      const server = this.#server(id);
      await server.stop();
      const { notes, place } = server;
      this.#usages.delete(id);
      if (!keepsFiles || notes === null) return removePlace(place);
      const { host: _given, ...rest } = notes;
      server.note(rest);
      rmSync(place.sockets, { recursive: true, force: true });
    });
    return READY;
  }

  async acknowledge(id: string, reportId: string): Promise<void> {
    await this.#change(id, async () => this.#usage(id, this.#server(id)).acknowledge(reportId));
  }

  async purge(id: string): Promise<void> {
    await this.#change(id, async () => {
      const server = this.#server(id);
      if (server.notes?.host === undefined) removePlace(server.place);
    });
  }

  async observeStorages(desired: readonly DesiredStorage[]): Promise<ReadonlyMap<string, ObservedStorage>> {
    const found = new Map<string, ObservedStorage>();
    await eachAtMost(SIDE_BY_SIDE, desired, async (each) => {
      // What a task works on is for the task.
      if (this.#serial.isBusy(each.id)) return;
      try {
        found.set(each.id, await this.#change(each.id, () => this.#observe(each)));
      } catch (error) {
        if (error instanceof NotOwner || this.#closed) return;
        this.#options.log.warn(
          { err: error, storage: each.id },
          `a storage does not serve: ${messageOf(error)}`,
        );
      }
    });
    return found;
  }

  /** Lets go of the servers, or ends them. */
  async letGo(programs: 'leave' | 'stop'): Promise<void> {
    await hurried(this.#serial.idle());
    if (programs === 'stop')
      await eachAtMost(SIDE_BY_SIDE, placesIn(this.#root), (id) => this.#server(id).stop());
  }

  async close(programs: 'leave' | 'stop'): Promise<void> {
    this.#closed = true;
    const mayStop = programs === 'stop' && this.#options.fence.isOwner;
    if (!mayStop) return this.letGo('leave');
    await this.#options.fence
      .hold(() => this.letGo('stop'))
      .catch((error: unknown) => {
        if (!(error instanceof NotOwner)) throw error;
      });
  }

  /** One change after the other for each storage, and none when another process owns the region.
   *  @throws NotOwner */
  #change<T>(id: string, action: () => Promise<T>): Promise<T> {
    return this.#options.fence.hold(() =>
      this.#serial.run(id, () => {
        if (this.#closed) throw new Error('the provider is closed');
        return action();
      }),
    );
  }

  #usage(id: string, server: Server): Usage {
    const usage = this.#usages.get(id) ?? new Usage(server);
    this.#usages.set(id, usage);
    return usage;
  }

  #server(id: string): Server {
    return new Server(placeOf(this.#root, id), this.#options.now);
  }

  /** @throws TaskFailed when it is not on this machine, or does not work */
  #program(): string {
    const { engine } = this.#options;
    const program = engine.program();
    if (program === undefined) throw new TaskFailed(engine.fault() ?? 'There is no S3 server');
    return program;
  }

  /** Its folders, and what is noted of it. What another database has left under its number goes first. */
  async #prepare(server: Server, desired: DesiredStorage, { type, key }: Operation): Promise<void> {
    const { notes, place } = server;
    const host = hostOf(desired);
    const isNew = type === CREATE;
    if (isNew && notes !== null && notes.creator !== key) {
      await server.stop();
      removePlace(place);
    }
    if (!isNew && !server.hasData())
      throw new TaskFailed('The data of this storage is not in the data directory of its region');
    makePlace(place);
    const known = server.notes;
    if (known === null) {
      const root = { access: 'root', secret: randomBytes(30).toString('base64url') };
      server.note({ creator: key, host, root, applied: {} });
    } else if (known.host !== host) server.note({ ...known, host });
    accessSync(place.data, constants.R_OK);
  }

  /** Brings back what died, and sees what there is. */
  async #observe(desired: DesiredStorage): Promise<ObservedStorage> {
    const server = this.#server(desired.id);
    if (!server.hasData()) throw new Error('its data is not in the data directory of its region');
    if (!server.isServing()) {
      makePlace(server.place);
      await server.start(this.#program(), hostOf(desired));
      await applyAll(server, desired, []);
      this.#options.log.warn({ storage: desired.id }, 'a storage that had ended is back');
    }
    await this.#expire(server, desired);
    const buckets = await server.bucketNames();
    const report = await this.#usage(desired.id, server).report(
      buckets,
      performance.now(),
      this.#options.now(),
    );
    return { buckets, ...(report ? { report } : {}) };
  }

  async #expire(server: Server, { buckets }: DesiredStorage): Promise<void> {
    const { notes } = server;
    const now = this.#options.now();
    if (!notes || now.getTime() - (notes.expiredAt ?? 0) < EXPIRE_EVERY_MS) return;
    await expire(server, buckets, now);
    server.note({ ...notes, expiredAt: now.getTime() });
  }
}

const hostOf = ({ address }: DesiredStorage) => new URL(address).hostname;

export const createLocalObjectStorage = (options: LocalObjectStorageOptions) =>
  new LocalObjectStorage(options);
