import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { REPLICA } from './configuration.ts';
import { copyData, giveFile } from './copy-data.ts';
import { makeFolders, removeNode } from './paths.ts';
import { type Notes, type Server, STANDBY } from './server.ts';

/** What the replica of a cluster needs of it. */
export interface ReplicationDeps {
  /** The servers as they are now. */
  servers(): { readonly primary: Server; readonly replica: Server };
  /** What the cluster is to be now. */
  desired(): DesiredCluster | undefined;
  /** Brings the files of a server to what they should be. */
  write(server: Server, desired: DesiredCluster): void;
  /** The same of the primary, which then reads them if it runs. */
  load(desired: DesiredCluster): Promise<void>;
  /** Makes a change of the cluster, when no other one is made. */
  change<T>(action: () => Promise<T>): Promise<T>;
  readonly log: { warn(details: object, message: string): void };
}

/** Who brings the replica on: a change says why its copy failed, and has nothing to do with those of looks before it. */
export type By = 'change' | 'look';

interface Seen {
  readonly state: string | null;
  readonly is_kept: boolean;
}

const SEEN = `select r.state, s.wal_status is distinct from 'lost' as is_kept
  from pg_catalog.pg_replication_slots s left join pg_catalog.pg_stat_replication r on r.pid = s.active_pid where s.slot_name = '${REPLICA}'`;
const DROP = `select pg_catalog.pg_drop_replication_slot(slot_name) from pg_catalog.pg_replication_slots where slot_name = '${REPLICA}'`;
const MAKE = `select pg_catalog.pg_create_physical_replication_slot('${REPLICA}', true)`;
const IS_EVEN = `select exists (select 1 from pg_catalog.pg_stat_replication
  where application_name = '${REPLICA}' and state = 'streaming' and sync_state = 'sync' and flush_lsn >= $1::pg_lsn) as is_even`;

/** The replica of one cluster: made, brought back, and known for what it may do. */
export class Replication {
  readonly #deps: ReplicationDeps;
  /** The copy that is being made. */
  #copying: Promise<void> | undefined;
  /** Why the last copy was not made, until that was said. */
  #failure: { readonly by: By; readonly error: unknown } | undefined;
  #end = new AbortController();

  constructor(deps: ReplicationDeps) {
    this.#deps = deps;
  }

  /** Commits do not wait for a replica that has ended. */
  async release(desired: DesiredCluster): Promise<void> {
    const { replica } = this.#deps.servers();
    if (!replica.running()) await this.#noteReplica(desired, { isSynchronous: false, mayTakeOver: false });
  }

  /** Goes a step on. @returns what is still to come, in words; null: all is as desired
   *  @throws why the copy that was begun could not be made */
  async reconcile(desired: DesiredCluster, binaries: string, by: By): Promise<string | null> {
    const { primary, replica } = this.#deps.servers();
    if (desired.replication === null) return this.#remove(desired);
    if (this.#copying) return 'the data are copied to the replica';
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure && (failure.by === 'change' || by === 'look')) throw failure.error;
    if (replica.hasData() && !replica.isStandby()) {
      await replica.fence();
      await removeNode(replica.paths);
    }
    if (!replica.hasData()) {
      await this.#noteReplica(desired, { isSynchronous: false, mayTakeOver: false });
      await this.#seed(desired, binaries, by);
      return 'the data are copied to the replica';
    }
    if (!replica.running()) await this.#start(desired, binaries);
    const [seen] = await primary.asking('postgres', async (client) => (await client.query<Seen>(SEEN)).rows);
    if (!seen?.is_kept) {
      await replica.fence();
      await removeNode(replica.paths);
      return 'the replica is too far behind, and made anew';
    }
    if (seen.state !== 'streaming') {
      // A server that is killed ends its processes one after the other: the last may say that the replica is gone, while
      // the first is still seen. Only one that lives lets somebody in.
      await primary.asking('postgres', async () => undefined);
      await this.#noteReplica(desired, { isSynchronous: false, mayTakeOver: false });
      return 'the replica catches up';
    }
    return this.#noteStreaming(desired);
  }

  /** Nothing more is made of it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#copying?.catch(() => undefined);
  }

  async #noteStreaming(desired: DesiredCluster): Promise<string | null> {
    const { primary } = this.#deps.servers();
    const isSynchronous = desired.replication === 'sync';
    if ((primary.notes?.isSynchronous ?? false) !== isSynchronous)
      await this.#noteReplica(desired, { isSynchronous, mayTakeOver: false });
    if (primary.notes?.mayTakeOver) return null;
    if (isSynchronous && !(await this.#isEven(primary))) return 'the replica catches up';
    await this.#noteReplica(desired, { isSynchronous, mayTakeOver: true });
    return null;
  }

  /** Whether the replica has all that was committed before commits began to wait for it. */
  async #isEven(primary: Server): Promise<boolean> {
    return primary.asking('postgres', async (client) => {
      // All learn that commits have to wait from the process that makes checkpoints: it knows it after this.
      await client.query('checkpoint');
      const { rows } = await client.query<{ now: string }>(
        'select pg_catalog.pg_current_wal_flush_lsn()::text as now',
      );
      for (let looks = 0; looks < 50; looks += 1) {
        const { rows: even } = await client.query<{ is_even: boolean }>(IS_EVEN, [rows[0]?.now]);
        if (even[0]?.is_even) return true;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return false;
    });
  }

  /** Notes what may be relied on: less of it before anything else happens, more of it when it is so. */
  async #noteReplica(
    desired: DesiredCluster,
    what: Required<Pick<Notes, 'isSynchronous' | 'mayTakeOver'>>,
  ): Promise<void> {
    const { primary } = this.#deps.servers();
    const { notes } = primary;
    if (!notes) return;
    const { isSynchronous = false, mayTakeOver = false } = notes;
    if (isSynchronous === what.isSynchronous && mayTakeOver === what.mayTakeOver) return;
    const isUnread = isSynchronous !== what.isSynchronous;
    primary.note({ ...notes, ...what, ...(isUnread && { isUnread }) });
    await this.#deps.load(desired);
  }

  async #start(desired: DesiredCluster, binaries: string): Promise<void> {
    const { replica } = this.#deps.servers();
    await this.#noteReplica(desired, { isSynchronous: false, mayTakeOver: false });
    makeFolders(replica.paths);
    this.#deps.write(replica, desired);
    try {
      await replica.start(binaries);
    } catch (error) {
      // What it has is of no use: it is copied anew.
      await replica.fence();
      await removeNode(replica.paths);
      throw error;
    }
  }

  /** Begins to copy. The primary keeps from now on what the copy will need; the copy itself holds nothing up. */
  async #seed(desired: DesiredCluster, binaries: string, by: By): Promise<void> {
    const { primary, replica } = this.#deps.servers();
    makeFolders(replica.paths);
    await primary.asking('postgres', async (client) => {
      await client.query(DROP);
      await client.query(MAKE);
    });
    const { signal } = this.#end;
    this.#copying = this.#copy(primary, replica, binaries, signal);
    void this.#copying
      .then(() => this.#deps.change(() => this.#settle(binaries, replica, signal)))
      .catch((error: unknown) => {
        if (signal.aborted) return;
        this.#failure = { by, error: this.#blame(error) };
        this.#deps.log.warn({ cluster: desired.id }, `the replica was not made: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#copying = undefined;
      });
  }

  /** What a copy that fails has used is needed by who made the disk full. */
  async #copy(primary: Server, { paths }: Server, binaries: string, signal: AbortSignal): Promise<void> {
    try {
      await copyData(primary, paths.draft, binaries, signal);
    } catch (error) {
      await removeFolder(paths.draft);
      throw error;
    }
  }

  /** That the primary was lost on the way is no reason to give up. */
  #blame(error: unknown): unknown {
    return this.#deps.servers().primary.running() ? error : new Error(messageOf(error));
  }

  async #settle(binaries: string, copied: Server, signal: AbortSignal): Promise<void> {
    const { primary, replica } = this.#deps.servers();
    const desired = this.#deps.desired();
    if (signal.aborted || !desired || copied.hasData()) return;
    if (desired.replication === null || replica.paths.node !== copied.paths.node) {
      await primary.asking('postgres', (client) => client.query(DROP));
      return removeFolder(copied.paths.draft);
    }
    giveFile(join(replica.paths.draft, STANDBY), '', replica.paths.home);
    renameSync(replica.paths.draft, replica.paths.data);
    await this.#start(desired, binaries);
  }

  /** Of a replica that was never whole there is something, too. */
  async #remove(desired: DesiredCluster): Promise<string | null> {
    const { primary, replica } = this.#deps.servers();
    const { data, draft, sockets } = replica.paths;
    this.#failure = undefined;
    if (![data, draft, sockets].some((path) => existsSync(path))) return null;
    await this.close();
    this.#end = new AbortController();
    await this.#noteReplica(desired, { isSynchronous: false, mayTakeOver: false });
    await replica.stop();
    await replica.fence();
    await primary.asking('postgres', (client) => client.query(DROP));
    await removeNode(replica.paths);
    return null;
  }
}
