import { existsSync } from 'node:fs';
import {
  type DesiredSftpStorage,
  type ObservedSftpStorage,
  RESTORE_SFTP_STORAGE,
  type SftpStorageProvider,
} from '../../../features/sftp-storages/port.ts';
import type { DesiredNow } from '../../../kernel/desired.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import type { Leftover } from '../../../kernel/leftover.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import type { Engine, EngineHost } from '../host/engine.ts';
import { withRoom } from '../host/full-disk.ts';
import type { Programs } from '../host/reconciler.ts';
import { hostOf, StorageServers } from '../storages/storage-servers.ts';
import type { BucketTraffic, Traffic } from '../storages/traffic.ts';
import { makeFolders, pathsOf, removeFolders } from './paths.ts';
import { PORT, Server } from './server.ts';

export interface LocalSftpStorageOptions extends EngineHost {
  /** The bundled server. */
  readonly script: string;
}

/** SFTP servers of this machine, one for each storage, each on an address of its own. */
export class LocalSftpStorage implements SftpStorageProvider, Engine {
  readonly folder = 'sftp-storage';
  readonly #options: LocalSftpStorageOptions;
  readonly #servers: StorageServers<Server>;

  constructor(options: LocalSftpStorageOptions) {
    this.#options = options;
    this.#servers = new StorageServers({
      ...options,
      folder: this.folder,
      kind: 'sftp_storage',
      creating: 'create_sftp_storage',
      undoing: RESTORE_SFTP_STORAGE,
      usage: { trafficOf, isOwn: () => false },
      serverOf: (root, id) => new Server(pathsOf(root, id), options.script),
      makeFolders,
      removeFolders,
    });
  }

  unavailable(): string | undefined {
    const { script } = this.#options;
    return existsSync(script) ? undefined : `${script} is missing; npm run build makes it`;
  }

  /** Addresses of all storages, whether they run or not. */
  addresses = (): string[] => this.#servers.addresses();

  addressOf = async (id: string): Promise<string> => `sftp://${await this.#servers.hostOf(id)}:${PORT}`;

  async applySftpStorage(desired: DesiredSftpStorage, operation: Operation): Promise<Progress> {
    await this.#servers.change(desired.id, async (server) => {
      if (this.#servers.isLeftAlone(server, operation)) return;
      const fault = this.unavailable();
      if (fault) throw new TaskFailed(`There is no SFTP server: ${fault}`);
      await withRoom(this.#servers.root, async () => {
        await this.#servers.prepare(server, operation);
        const { notes } = server;
        const host = hostOf(desired);
        const { creator = operation.key } = notes ?? {};
        const isNew = notes === null || notes.isNew === true;
        if (notes?.host !== host) server.note({ creator, host, ...(isNew && { isNew }) });
        await this.#servers.settle(host);
        await server.serve(desired, host);
        if (isNew) server.note({ creator, host });
      });
    });
    return READY;
  }

  async removeSftpStorage({ id }: { readonly id: string }, _operation: Operation): Promise<Progress> {
    await this.#servers.change(id, async (server) => {
      await this.#servers.end(server);
      await removeFolders(server.paths);
    });
    return READY;
  }

  pause = (id: string): Promise<void> => this.#servers.pause(id);

  acknowledge = (id: string, reportId: string): Promise<void> => this.#servers.acknowledge(id, reportId);

  observeSftpStorages = (ids: readonly string[], desired: DesiredNow<DesiredSftpStorage>) =>
    this.#servers.observe(ids, desired, {
      what: 'an SFTP storage',
      look: (server, each) => this.#observe(server, each),
    });

  kept = (): readonly Leftover[] => this.#servers.kept();

  hasData = (): boolean => this.#servers.hasData();

  clear = (id: string): Promise<void> => this.#servers.clear(id);

  release = (programs: Programs): Promise<void> => this.#servers.release(programs);

  close = (programs: Programs): Promise<void> => this.#servers.close(programs);

  /** Brings back what died, and sees what was used. */
  async #observe(server: Server, desired: DesiredSftpStorage): Promise<ObservedSftpStorage> {
    await this.#servers.settle(hostOf(desired));
    const taken = await server.serve(desired, hostOf(desired));
    if (taken.includes('start'))
      this.#options.log.warn({ storage: desired.id }, 'an SFTP storage that had ended is back');
    return this.#servers.reportOf(server, [''], this.#options.now());
  }
}

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
