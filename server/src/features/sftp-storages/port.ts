import type { DesiredNow } from '../../kernel/desired.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import type { StorageProvider, StorageReport, UnservedStorage } from '../object-storage/index.ts';

/** What a provider does for SFTP storages. */
export interface SftpStorageProvider extends StorageProvider {
  /** Brings a storage to what is desired. Who may no longer sign in is out when this has ended. */
  applySftpStorage(desired: DesiredSftpStorage, operation: Operation): Promise<Progress>;
  /** Ends a storage, removes its files and gives its address back. */
  removeSftpStorage(removed: { readonly id: string }, operation: Operation): Promise<Progress>;
  /** How storages of this machine are; those that have died are brought back. Absent: there is nothing to see. */
  observeSftpStorages?(
    ids: readonly string[],
    desired: DesiredNow<DesiredSftpStorage>,
  ): Promise<ReadonlyMap<string, ObservedSftpStorage | UnservedStorage>>;
}

export interface DesiredSftpStorage {
  readonly id: string;
  readonly address: string;
  /** The name by which clients sign in. */
  readonly user: string;
  /** `scrypt:COST:SALT:HASH`, the last two in base64url, with 8 and 1 for its other numbers; null: no password. */
  readonly passwordHash: string | null;
  /** Keys that may sign in, in the form of OpenSSH: `TYPE BASE64 …`. */
  readonly publicKeys: readonly string[];
  /** From then on nobody may sign in; null: it does not end. */
  readonly expiresAt: string | null;
}

export interface ObservedSftpStorage {
  /** What was used since the last report that was acknowledged, of the bucket ''; absent: nothing new. */
  readonly report?: StorageReport;
}

/** The operation by which a failed change is undone. */
export const RESTORE_SFTP_STORAGE = 'undo_sftp_storage';
