import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UnservedStorage } from '../../../features/object-storage/port.ts';
import type { DesiredNow } from '../../../kernel/desired.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import type { Leftover } from '../../../kernel/leftover.ts';
import type { Operation } from '../../../kernel/operation.ts';
import { type EngineHost, madeElsewhere } from '../host/engine.ts';
import { engineRoot } from '../host/engine-root.ts';
import { makePassage } from '../host/files.ts';
import { type Programs, Reconciler } from '../host/reconciler.ts';
import { eachAtMost } from '../host/serial.ts';
import { type Measured, Usage, type UsageKind } from './usage.ts';

/** The server of one storage, as far as those of all kinds are alike. */
export interface StorageServer extends Measured {
  readonly paths: Measured['paths'] & { readonly id: string };
  /** What is known beside the data: which operation made it, its address, and whether that operation is under way. If it
   *  was finished on another machine, the data are there. */
  readonly notes: { readonly creator: string; readonly host?: string; readonly isNew?: boolean } | null;
  stop(): Promise<void>;
}

export interface StorageServersOptions<S extends StorageServer> extends EngineHost {
  /** The name of its folder in that of the region. */
  readonly folder: string;
  readonly kind: Leftover['kind'];
  /** The task type that makes such a storage. */
  readonly creating: string;
  /** The type of an operation that undoes a failed change. */
  readonly undoing: string;
  readonly usage: UsageKind;
  serverOf(root: string, id: string): S;
  makeFolders(paths: S['paths']): void;
  /** Removes all that a storage had. */
  removeFolders(paths: S['paths']): Promise<void>;
}

const isWhole = ({ paths, notes }: StorageServer) => existsSync(paths.data) && notes !== null && !notes.isNew;

const SIDE_BY_SIDE = 4;

/** The storage servers of one kind on this machine: one for each storage, each on an address of its own. */
export class StorageServers<S extends StorageServer> {
  readonly root: string;
  readonly #options: StorageServersOptions<S>;
  readonly #changes: Reconciler;
  readonly #usages = new Map<string, Usage>();
  /** Why those do not serve that do not, as the log has it. */
  readonly #faults = new Map<string, string>();

  constructor(options: StorageServersOptions<S>) {
    this.#options = options;
    this.#changes = new Reconciler(options.fence);
    this.root = engineRoot(join(options.dataDir, options.folder));
    makePassage(this.root);
  }

  /** Addresses of all storages, whether they run or not. */
  addresses(): string[] {
    return storagesIn(this.root).flatMap((id) => this.#server(id).notes?.host ?? []);
  }

  /** The address of a storage: the one that it has, or a free one. */
  async hostOf(id: string): Promise<string> {
    return this.#server(id).notes?.host ?? (await this.#options.allocateAddress(new Set()));
  }

  /** @throws NotOwner */
  change<T>(id: string, action: (server: S) => Promise<T>): Promise<T> {
    return this.#changes.change(id, () => action(this.#server(id)));
  }

  /** To undo a change of a storage whose data are elsewhere: nothing here has changed. */
  isLeftAlone(server: S, { type }: Operation): boolean {
    return type === this.#options.undoing && !isWhole(server);
  }

  /** Its folders. What another database has left under its number goes first.
   *  @throws TaskFailed for a storage whose data are not here */
  async prepare(server: S, { type, key }: Operation): Promise<void> {
    const { notes, paths } = server;
    const isNew = type === this.#options.creating;
    if (isNew && notes !== null && notes.creator !== key) {
      await this.#stop(server);
      await this.#options.removeFolders(paths);
    }
    if (!isNew && !isWhole(server)) throw new TaskFailed(madeElsewhere('storage'));
    this.#options.makeFolders(paths);
  }

  /** Ends a server until it is looked at again. */
  pause = (id: string): Promise<void> => this.change(id, (server) => this.#stop(server));

  /** Has the address of a server where its clients look for it. @throws TaskFailed */
  async settle(address: string): Promise<void> {
    await this.#options.addresses.add([address]);
  }

  /** Storages that have a folder here. */
  kept(): readonly Leftover[] {
    const { kind } = this.#options;
    return storagesIn(this.root).flatMap((id) => {
      const creator = this.#server(id).notes?.creator;
      return creator === undefined ? [] : [{ kind, id, creator }];
    });
  }

  /** Whether a storage has a folder here, without a look at what is noted of it. */
  hasData(): boolean {
    return storagesIn(this.root).length > 0;
  }

  /** Removes all that a storage has here. Whoever calls keeps other processes away. */
  clear(id: string): Promise<void> {
    return this.#changes.alone(id, async () => {
      const server = this.#server(id);
      await this.end(server);
      await this.#options.removeFolders(server.paths);
    });
  }

  /** Ends a server, and forgets what it has used. */
  async end(server: S): Promise<void> {
    await this.#stop(server);
    this.#usages.delete(server.paths.id);
    this.#faults.delete(server.paths.id);
  }

  /** Looks at all that no task works on.
   *  @param what does not serve when that fails, as the start of a sentence: "a storage" */
  observe<Desired extends { readonly id: string }, Seen>(
    ids: readonly string[],
    desired: DesiredNow<Desired>,
    { what, look }: { readonly what: string; look(server: S, each: Desired): Promise<Seen> },
  ): Promise<ReadonlyMap<string, Seen | UnservedStorage>> {
    return this.#changes.reconcile<Desired, Seen | UnservedStorage>(ids, SIDE_BY_SIDE, {
      desired,
      look: async (each) => {
        const server = this.#server(each.id);
        if (!isWhole(server)) throw new TaskFailed(madeElsewhere('storage'));
        const seen = await look(server, each);
        this.#faults.delete(each.id);
        return seen;
      },
      failed: (id, error) => {
        const fault = messageOf(error);
        if (this.#faults.get(id) !== fault)
          this.#options.log.warn({ err: error, storage: id }, `${what} does not serve: ${fault}`);
        this.#faults.set(id, fault);
        return { fault: error instanceof TaskFailed ? fault : 'Its server does not answer' };
      },
    });
  }

  /** What was used since the last report that was counted. */
  async reportOf(server: S, buckets: readonly string[], at: Date) {
    const report = await this.#usage(server).report(buckets, performance.now(), at);
    return report ? { report } : {};
  }

  /** A report was counted. */
  async acknowledge(id: string, reportId: string): Promise<void> {
    await this.change(id, async (server) => this.#usage(server).acknowledge(reportId));
  }

  /** Leaves the servers to another process, or ends them. */
  async release(programs: Programs): Promise<void> {
    await this.#changes.idle();
    if (programs === 'stop')
      await eachAtMost(SIDE_BY_SIDE, storagesIn(this.root), (id) => this.#stop(this.#server(id)));
  }

  close(programs: Programs): Promise<void> {
    return this.#changes.close(programs, (kept) => this.release(kept));
  }

  async #stop(server: S): Promise<void> {
    await server.stop();
    const { host } = server.notes ?? {};
    if (host !== undefined) await this.#options.addresses.remove([host]);
  }

  #server(id: string): S {
    return this.#options.serverOf(this.root, id);
  }

  #usage(server: S): Usage {
    const { id } = server.paths;
    const usage = this.#usages.get(id) ?? new Usage(server, this.#options.usage);
    this.#usages.set(id, usage);
    return usage;
  }
}

const PREFIX = 'storage-';

/** The folder of a storage. @param root of all storages of the region */
export function homeOf(root: string, id: string): string {
  if (!/^\d+$/.test(id)) throw new Error(`${id} is no storage`);
  return join(root, `${PREFIX}${id}`);
}

/** Ids of the storages that have a folder. */
function storagesIn(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^storage-\d+$/.test(entry.name))
    .map(({ name }) => name.slice(PREFIX.length));
}

/** The host of an address such as `sftp://127.64.0.9:2022`. */
export const hostOf = ({ address }: { readonly address: string }): string => new URL(address).hostname;
