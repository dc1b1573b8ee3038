import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  DesiredSftpStorage,
  ObservedSftpStorage,
  SftpStorageProvider,
} from '../../../features/sftp-storages/port.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import { withRoom } from '../full-disk.ts';
import { engineRoot } from '../load-balancers/engine-root.ts';
import { makePassage } from '../load-balancers/files.ts';
import { hurried } from '../load-balancers/programs.ts';
import { eachAtMost, Serial } from '../load-balancers/serial.ts';
import type { BucketTraffic, Traffic } from '../object-storage/traffic.ts';
import { Usage } from '../object-storage/usage.ts';
import { NotOwner, type OwnerFence } from '../owner-fence.ts';
import { makePlace, placeOf, placesIn, removePlace } from './place.ts';
import { PORT, Server } from './server.ts';

export interface LocalSftpStorageOptions {
  readonly dataDir: string;
  /** The bundled server. */
  readonly script: string;
  readonly log: { warn(details: object, message: string): void };
  readonly fence: Pick<OwnerFence, 'hold' | 'isOwner'>;
  /** A free address of this machine. */
  readonly allocateAddress: (taken: ReadonlySet<string>) => Promise<string>;
  readonly now: () => Date;
}

const SIDE_BY_SIDE = 4;
const CREATE = 'create_sftp_storage';

/** SFTP servers of this machine, one for each storage, each on an address of its own. */
export class LocalSftpStorage implements SftpStorageProvider {
  readonly #options: LocalSftpStorageOptions;
  readonly #root: string;
  readonly #serial = new Serial();
  readonly #usages = new Map<string, Usage>();
  #closed = false;

  constructor(options: LocalSftpStorageOptions) {
    this.#options = options;
    this.#root = engineRoot(join(options.dataDir, 'sftp-storage'));
    makePassage(this.#root);
  }

  unavailable(): string | undefined {
    const { script } = this.#options;
    return existsSync(script) ? undefined : `${script} is missing; npm run build makes it`;
  }

  /** Addresses of all storages, whether they run or not. */
  addresses(): string[] {
    return placesIn(this.#root).flatMap((id) => this.#server(id).notes?.host ?? []);
  }

  async addressOf(id: string): Promise<string> {
    const known = this.#server(id).notes?.host;
    const host = known ?? (await this.#options.allocateAddress(new Set()));
    return `sftp://${host}:${PORT}`;
  }

  async applySftpStorage(desired: DesiredSftpStorage, operation: Operation): Promise<Progress> {
    await this.#change(desired.id, async () => {
      const fault = this.unavailable();
      if (fault) throw new TaskFailed(`There is no SFTP server: ${fault}`);
      const server = this.#server(desired.id);
      await withRoom(this.#root, async () => {
        await this.#prepare(server, desired, operation);
        await server.serve(desired, hostOf(desired));
      });
    });
    return READY;
  }

  async removeSftpStorage({ id }: { readonly id: string }, _operation: Operation): Promise<Progress> {
    await this.#change(id, async () => {
      const server = this.#server(id);
      await server.stop();
      this.#usages.delete(id);
      removePlace(server.place);
    });
    return READY;
  }

  async acknowledge(id: string, reportId: string): Promise<void> {
    await this.#change(id, async () => this.#usage(this.#server(id)).acknowledge(reportId));
  }

  async observeSftpStorages(
    desired: readonly DesiredSftpStorage[],
  ): Promise<ReadonlyMap<string, ObservedSftpStorage>> {
    const found = new Map<string, ObservedSftpStorage>();
    await eachAtMost(SIDE_BY_SIDE, desired, async (each) => {
      // What a task works on is for the task.
      if (this.#serial.isBusy(each.id)) return;
      try {
        found.set(each.id, await this.#change(each.id, () => this.#observe(each)));
      } catch (error) {
        if (error instanceof NotOwner || this.#closed) return;
        const words = `an SFTP storage does not serve: ${messageOf(error)}`;
        this.#options.log.warn({ err: error, storage: each.id }, words);
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

  #server(id: string): Server {
    return new Server(placeOf(this.#root, id), this.#options.script);
  }

  #usage(server: Server): Usage {
    const { id } = server.place;
    const usage = this.#usages.get(id) ?? new Usage(server, { trafficOf, isOwn: () => false });
    this.#usages.set(id, usage);
    return usage;
  }

  /** Its folders, and what is noted of it. What another database has left under its number goes first. */
  async #prepare(server: Server, desired: DesiredSftpStorage, { type, key }: Operation): Promise<void> {
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
    if (known?.host !== host) server.note({ creator: known?.creator ?? key, host });
  }

  /** Brings back what died, and sees what was used. */
  async #observe(desired: DesiredSftpStorage): Promise<ObservedSftpStorage> {
    const server = this.#server(desired.id);
    if (!server.hasData()) throw new Error('its data is not in the data directory of its region');
    if (!server.serves(desired)) {
      await server.serve(desired, hostOf(desired));
      this.#options.log.warn({ storage: desired.id }, 'an SFTP storage that had ended is back');
    }
    const now = this.#options.now();
    const report = await this.#usage(server).report([''], performance.now(), now);
    return report ? { report } : {};
  }
}

const hostOf = ({ address }: DesiredSftpStorage) => new URL(address).hostname;

const LINE = /^(\d+) (\d+) (\d+) (\d+)$/gm;

/** All of a storage: it has no buckets. */
function trafficOf(text: string): Traffic {
  const sum: BucketTraffic = { requestsIn: 0, requestsOut: 0, trafficIn: 0, trafficOut: 0 };
  let lines = 0;
  for (const [, requestsIn, requestsOut, trafficIn, trafficOut] of text.matchAll(LINE)) {
    lines += 1;
    sum.requestsIn += Number(requestsIn);
    sum.requestsOut += Number(requestsOut);
    sum.trafficIn += Number(trafficIn);
    sum.trafficOut += Number(trafficOut);
  }
  return new Map(lines > 0 ? [['', sum]] : []);
}

export const createLocalSftpStorage = (options: LocalSftpStorageOptions) => new LocalSftpStorage(options);
