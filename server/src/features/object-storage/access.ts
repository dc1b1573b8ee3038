import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { Locations } from './locations.ts';
import type { ObjectStorageProvider } from './port.ts';
import { storageAccess, type Waiting } from './storage-access.ts';
import { storages } from './store.ts';

export interface ObjectStorageService extends Waiting {
  readonly cipher: Cipher;
  readonly locations: Locations;
  /** Where SFTP storages can be made. */
  readonly sftpLocations: Locations;
  providerOf(regionId: number): ObjectStorageProvider | undefined;
}

export const access = storageAccess(storages, 'object storages');
