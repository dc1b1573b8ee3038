import type { DesiredNow } from '../../kernel/desired.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';

/** What a provider does for storages of every kind. */
export interface StorageProvider {
  /** Why there can be no storages here at present, and what to do; undefined: there can. */
  unavailable(): string | undefined;
  /** A place for a storage: the address that its clients use, kept until the storage is removed. */
  addressOf(id: string): Promise<string>;
  /** Ends the programs of a storage, whatever it holds; looked at again, it serves again. Absent: there are none. */
  pause?(id: string): Promise<void>;
  /** A report was counted, and is not asked for again. */
  acknowledge?(id: string, reportId: string): Promise<void>;
}

/** What a provider does for object storage. */
export interface ObjectStorageProvider extends StorageProvider {
  /** Brings a storage to what is desired.
   *  @throws TaskFailed for a bucket that is to go and has objects */
  applyStorage(desired: DesiredStorage, change: StorageChange, operation: Operation): Promise<Progress>;
  /** Ends a storage and gives its address back. */
  removeStorage(removed: RemovedStorage, operation: Operation): Promise<Progress>;
  /** Forgets what was kept of a removed storage. */
  purge?(id: string): Promise<void>;
  /** How storages of this machine are; those that have died are brought back. Absent: there is nothing to see. */
  observeStorages?(
    ids: readonly string[],
    desired: DesiredNow<DesiredStorage>,
  ): Promise<ReadonlyMap<string, ObservedStorage | UnservedStorage>>;
}

export interface DesiredStorage {
  readonly id: string;
  readonly address: string;
  /** What it proves itself with, both PEM; null: its address is without TLS. */
  readonly tls: { readonly certificate: string; readonly privateKey: string } | null;
  /** All that open it. */
  readonly keys: readonly DesiredKey[];
  /** Buckets with the settings that were made here; others may be there. */
  readonly buckets: readonly DesiredBucket[];
}

/** What is not seen in what is desired. */
export interface StorageChange {
  /** Buckets that are to go. */
  readonly retracted: readonly string[];
}

export interface DesiredKey {
  readonly accessKey: string;
  readonly secret: string;
  readonly readOnly: boolean;
}

export interface DesiredBucket {
  readonly name: string;
  /** Everybody may read its objects. */
  readonly isPublic: boolean;
  /** Origins of web pages that may use it. */
  readonly allowedOrigins: readonly string[];
  /** Objects go after so many days; 0: they stay. */
  readonly expirationDays: number;
}

export interface RemovedStorage {
  readonly id: string;
  /** Its files stay until it is purged, so that it can be restored. */
  readonly keepsFiles: boolean;
}

/** A bucket as the server has it, also when S3 clients have made or changed it. */
export type ObservedBucket = Pick<DesiredBucket, 'name' | 'isPublic' | 'allowedOrigins'>;

export interface ObservedStorage {
  readonly buckets: readonly ObservedBucket[];
  /** What was used since the last report that was acknowledged; absent: nothing new. */
  readonly report?: StorageReport;
}

/** A storage of any kind that could not be looked at. */
export interface UnservedStorage {
  /** Why it does not serve, for its owner. */
  readonly fault: string;
}

export interface StorageReport {
  /** The same report has the same id and content, however often it is asked for. */
  readonly id: string;
  readonly at: Date;
  readonly buckets: readonly BucketReport[];
}

/** Of one bucket: levels at the time of the report, and what was added since the one before. */
export interface BucketReport {
  readonly name: string;
  readonly bytes: number;
  readonly files: number;
  readonly requestsIn: number;
  readonly requestsOut: number;
  readonly trafficIn: number;
  readonly trafficOut: number;
}

/** The operation by which a failed change is undone. */
export const RESTORE_STORAGE = 'undo_object_storage';
