import type { Clock } from '../../kernel/clock.ts';
import type { InvalidFields } from '../../kernel/errors.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import * as schema from './schema.ts';
import { settingsFaults } from './settings.ts';
import * as keys from './ssh-keys.ts';
import * as storages from './storages.ts';

const tag = 'SFTP storage';
const all = plainPath(tag, '/storage/v4/sftp_storages');
const one = all.at('{storage_id}', schema.StorageParams.properties);
const KEYS = plainPath(tag, '/storage/v4/ssh_keys');
const KEY = KEYS.at('{ssh_key_id}', schema.SshKeyParams.properties);

type Service = storages.SftpService & { readonly clock: Clock };

/** All that a schema cannot find in a new storage. */
const newFaults = async (service: Service, body: unknown): Promise<InvalidFields> => ({
  ...settingsFaults(body, service.clock.now()),
  ...(await service.locations.faultsOf(body)),
});

async function keyFaults(body: unknown): Promise<InvalidFields> {
  const { public_key: text } = (body ?? {}) as { public_key?: unknown };
  const fault = typeof text === 'string' ? keys.publicKeyFault(text) : undefined;
  return fault ? { public_key: [fault] } : {};
}

const storageRoutes = (service: Service): readonly Route[] => [
  all.get({
    summary: 'List SFTP storages',
    access: 'read',
    query: schema.SftpListQuery,
    response: schema.SftpStorageList,
    handler: (ctx, { query }) => storages.listStorages(ctx, query),
  }),
  all.post({
    summary: 'Create an SFTP storage',
    access: 'write',
    sensitive: true,
    body: schema.CreateSftpStorage,
    bodyFaults: (body) => newFaults(service, body),
    status: 201,
    response: schema.SftpStorage,
    handler: (ctx, { body }) => storages.createStorage(service, ctx, body),
  }),
  one.get({
    summary: 'Get an SFTP storage',
    access: 'read',
    response: schema.SftpStorage,
    handler: (ctx, { params }) => storages.getStorage(ctx, params.storage_id),
  }),
  one.patch({
    summary: 'Change who may use an SFTP storage, and until when',
    access: 'write',
    sensitive: true,
    body: schema.UpdateSftpStorage,
    bodyFaults: async (body) => settingsFaults(body, service.clock.now()),
    response: schema.SftpStorage,
    handler: (ctx, { params, body }) => storages.updateStorage(service, ctx, params.storage_id, body),
  }),
  one.delete({
    summary: 'Delete an SFTP storage, with its files',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => storages.deleteStorage(service, ctx, params.storage_id),
  }),
];

const keyRoutes = (service: Service): readonly Route[] => [
  KEYS.get({
    operationId: 'listStorageSshKeys',
    summary: 'List the SSH keys that can open SFTP storages',
    access: 'read',
    query: schema.SshKeyListQuery,
    response: schema.SshKeyList,
    handler: (ctx, { query }) => keys.listSshKeys(ctx, query),
  }),
  KEYS.post({
    operationId: 'createStorageSshKey',
    summary: 'Add an SSH key, which then can be given to SFTP storages',
    access: 'write',
    body: schema.CreateSshKey,
    bodyFaults: keyFaults,
    status: 201,
    response: schema.SshKey,
    handler: (ctx, { body }) => keys.createSshKey(ctx, body),
  }),
  KEY.get({
    operationId: 'getStorageSshKey',
    summary: 'Get an SSH key',
    access: 'read',
    response: schema.SshKey,
    handler: (ctx, { params }) => keys.getSshKey(ctx, params.ssh_key_id),
  }),
  KEY.delete({
    operationId: 'deleteStorageSshKey',
    summary: 'Delete an SSH key, which no longer opens any storage when this is answered',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => keys.deleteSshKey(service, ctx, params.ssh_key_id),
  }),
];

export const sftpStorageRoutes = (service: Service): readonly Route[] => [
  ...storageRoutes(service),
  ...keyRoutes(service),
];
