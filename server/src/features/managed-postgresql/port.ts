import type { DesiredNow } from '../../kernel/desired.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import type { ClusterSpec, Flavor } from './model.ts';
import type { Metrics } from './schema.ts';

/** The type of an operation that undoes a change: a simulated region does that at once, and never fails it. */
export const RESTORE_CLUSTER = 'restore_dbaas_postgres_cluster';

/** What a region's provider must be able to do for managed PostgreSQL.
 *
 *  Declarative and repeatable: every call may be made again at any time, also after a crash half-way through. */
export interface PostgresqlProvider {
  /** What clusters can be made of here and now. */
  offer(): Promise<Offer>;
  /** Makes ready what the first cluster would have to wait for. Absent: nothing is. */
  prepare?(): Promise<void>;
  /** What is wrong with a postgresql.conf for this major version, each fault naming its line; undefined: that can only
   *  be said when its programs are installed, which has begun.
   *  @throws TaskFailed when they cannot be installed */
  confFaults(version: string, conf: Conf): Promise<readonly string[] | undefined>;
  /** The host at which a cluster answers; the same for every call.
   *  @throws TaskFailed when there is no place left */
  hostOf(clusterId: string): Promise<string>;
  /** Brings a cluster to this. Ready when it accepts connections as it should.
   *  @throws TaskFailed with a reason for the user */
  applyCluster(desired: DesiredCluster, change: ClusterChange, operation: Operation): Promise<Progress>;
  /** The major version that a cluster has, whatever it is to have. Absent: that which it was last brought to; undefined:
   *  it has no data. */
  versionOf?(clusterId: string): Promise<string | undefined>;
  /** Forgets a cluster with all that it holds; unknown ids are already removed. */
  removeCluster(clusterId: string, operation: Operation): Promise<Progress>;
  /** Ends the servers of a cluster, whatever it holds; looked at again, they are started. Absent: there are none. */
  pause?(clusterId: string): Promise<void>;
  /** How clusters are that should run. Absent: they are simulated, and are well. */
  observeClusters?(
    ids: readonly string[],
    desired: DesiredNow<DesiredCluster>,
  ): Promise<ReadonlyMap<string, ObservedCluster>>;
}

export interface Offer {
  /** Major versions, the newest first. */
  readonly versions: readonly string[];
  readonly storageClasses: readonly string[];
  readonly flavors: readonly Flavor[];
  /** Why there are no replicas here; null: there are. */
  readonly noHighAvailability: string | null;
  /** Why there is no pooler here; null: there is. */
  readonly noPooler: string | null;
  /** The first version in which users may have CREATEROLE; null: any. */
  readonly createRoleFrom: number | null;
  /** Why a cluster cannot be brought to a newer major version; null: it can. */
  readonly noMajorUpgrade: string | null;
  /** Why there are no backups here; null: there are. */
  readonly noBackups: string | null;
}

export interface DesiredCluster extends ClusterSpec {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  /** Settings that follow from its flavor; what its own `pg_conf` says comes after them, and counts. */
  readonly flavorSettings: Readonly<Record<string, string>>;
  /** What its servers prove themselves with; both PEM. */
  readonly tls: { readonly certificate: string; readonly privateKey: string };
  /** How often its data are copied; null: never. */
  readonly backups: BackupSchedule | null;
  /** What servers keep of the passwords (SCRAM-SHA-256), by user. */
  readonly verifiers: Readonly<Record<string, string>>;
}

/** How a cluster comes to be as it is desired. */
export interface ClusterChange {
  /** It has never run: only then may a provider make one without data. */
  readonly isNew: boolean;
  /** A new one has the data of this cluster. */
  readonly source?: RestoreSource;
  /** What a change that failed had asked for beside what is desired: it is undone. */
  readonly retracted: { readonly databases: readonly string[]; readonly users: readonly string[] };
}

/** A postgresql.conf that has the form of one. */
export interface Conf {
  readonly text: string;
  readonly settings: readonly ConfLine[];
}

export interface ConfLine {
  /** From 1. */
  readonly line: number;
  /** In lowercase letters, as servers compare them. */
  readonly name: string;
  readonly value: string;
}

export interface ObservedCluster {
  /** Why it does not serve as it should; null: it does. */
  readonly fault: string | null;
  /** Bytes by database. */
  readonly databaseSizes: Readonly<Record<string, number>>;
  readonly metrics: Metrics;
  /** The oldest first; absent: none. */
  readonly backups?: readonly Backup[];
  /** Absent: it was not seen yet. */
  readonly servers?: ServersSeen;
}

/** What a cluster that no task works on is doing. Read-only: its storage is full. Closed: it was written to all the same,
 *  and nobody may connect. Stopped: its client is suspended. */
export type ServingPhase =
  | 'serving'
  | 'copying_replica'
  | 'catching_up'
  | 'taking_over'
  | 'read_only'
  | 'closed'
  | 'down'
  | 'stopped';

/** Which server does what. */
export interface ServersSeen {
  readonly primary: string;
  /** null: there is to be none. */
  readonly replica: { readonly name: string; readonly may_take_over: boolean } | null;
  /** What is still to come, in words; null: nothing. */
  readonly missing: string | null;
  /** Absent: it was seen by an earlier version. */
  readonly phase?: ServingPhase;
  /** When a replica became the primary last: ISO 8601, in UTC. */
  readonly took_over_at: string | null;
}

export interface BackupSchedule {
  readonly every_hours: number;
  /** How many copies are kept. */
  readonly keep: number;
}

export interface Backup {
  /** ISO 8601, in UTC. */
  readonly taken_at: string;
  readonly size_bytes: number;
}

/** From which cluster, and as it was at which moment; null: as it is. */
export interface RestoreSource {
  readonly cluster_id: string;
  readonly until: string | null;
}
