import type { Clock } from '../../kernel/clock.ts';
import { zuluTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid, type InvalidFields, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import * as s3 from '../object-storage/index.ts';
import * as sftp from '../sftp-storages/index.ts';
import type {
  ChangeCredentials,
  CreateOlderStorage,
  OlderStorage,
  StorageQuery,
  StorageType,
  UpdateOlderStorage,
} from './schema.ts';
import { listStorages, type OlderRow, ORDER_FIELDS, readStorages } from './store.ts';

/** Calls about storages of either kind, as their newest calls carry them out. */

export interface OlderStorageService extends s3.ObjectStorageService {
  readonly clock: Clock;
}

const sftpOf = (service: OlderStorageService): sftp.SftpService => ({
  ...service,
  locations: service.sftpLocations,
});

/** @throws NotFound, Conflict for an id that one of each kind has */
async function findAny(ctx: RequestContext, id: number): Promise<OlderRow> {
  const [row, other] = await readStorages(ctx.db, ctx.caller.clientId, id);
  if (!row) throw new NotFound(`Storage ${id} was not found`);
  if (other)
    throw new Conflict(
      `Storages ${row.name} and ${other.name} both have the id ${id}: use the calls of /storage/v4`,
    );
  return row;
}

/** @throws NotFound, also for one that is deleted */
export async function find(ctx: RequestContext, id: number): Promise<OlderRow> {
  const row = await findAny(ctx, id);
  if (row.status === 'deleted') throw new NotFound(`Storage ${id} was not found`);
  return row;
}

/** @throws NotFound, Invalid for one of the other kind */
export async function findOf(ctx: RequestContext, id: number, type: StorageType): Promise<OlderRow> {
  const row = await find(ctx, id);
  if (row.type !== type)
    throw new Invalid({ storage_id: [`must be the id of a storage of type ${type}`] }, 'path');
  return row;
}

export const readOrder = (by: string | undefined, fields: readonly string[]): string => {
  if (!by) return 'created_at';
  if (!fields.includes(by))
    throw new Invalid({ order_by: [`must be one of: ${fields.join(', ')}`] }, 'query');
  return by;
};

/** The page, and how many match in all. @throws Invalid for an order that there is not */
export async function list(ctx: RequestContext, query: StorageQuery) {
  const { order_by, order_direction, status, show_deleted, type, ...rest } = query;
  const { count, rows } = await listStorages(ctx.db, {
    ...rest,
    type: type === 's3' ? 's3_compatible' : type,
    clientId: ctx.caller.clientId,
    status: status === 'ok' ? 'active' : status,
    showDeleted: show_deleted ?? false,
    by: readOrder(order_by, ORDER_FIELDS),
    down: order_direction !== 'asc',
  });
  return { count, results: await viewAll(ctx, rows) };
}

/** @throws NotFound, Conflict */
export const get = async (ctx: RequestContext, id: number): Promise<OlderStorage> =>
  view(ctx, await find(ctx, id));

/** What a schema cannot find in a new storage. */
export async function newFaults(service: OlderStorageService, body: unknown): Promise<InvalidFields> {
  const given = (body ?? {}) as Partial<Record<keyof CreateOlderStorage, unknown>>;
  const faults = new Faults();
  if (given.generate_sftp_password === true && given.sftp_password !== undefined)
    faults.add('sftp_password', 'must be left out when generate_sftp_password is true');
  const isS3 = given.type === 's3_compatible' || given.type === 's3';
  if (isS3 && given.generate_sftp_password === true)
    faults.add('generate_sftp_password', 'must be left out: a storage of type s3_compatible has no password');
  if (isS3 && given.sftp_password !== undefined)
    faults.add('sftp_password', 'must be left out: a storage of type s3_compatible has no password');
  const locations = given.type === 'sftp' ? service.sftpLocations : service.locations;
  const { location_name: wrong = [] } = await locations.faultsOf({ location_name: given.location });
  for (const message of wrong) faults.add('location', message);
  return faults.toError().fields;
}

/** What a schema cannot find in a change: fields that it does not name are none of it. */
export function changeFaults(service: OlderStorageService, body: unknown): InvalidFields {
  const { expires, server_alias } = (body ?? {}) as Partial<Record<'expires' | 'server_alias', unknown>>;
  return sftp.settingsFaults({ expires, server_alias }, service.clock.now());
}

/** @returns the storage, with what opens it where that is new
 *  @throws Invalid, Forbidden, Conflict for a name in use, or when it cannot be made */
export async function create(
  service: OlderStorageService,
  ctx: RequestContext,
  {
    type,
    location: location_name,
    name,
    sftp_password: password,
    generate_sftp_password: auto,
  }: CreateOlderStorage,
): Promise<OlderStorage> {
  if (type !== 'sftp') {
    const made = await s3.createStorage(service, ctx, { location_name, name });
    const [key] = made.access_keys;
    return view(ctx, await findAny(ctx, made.id), key && { s3: key });
  }
  const mode = password === undefined ? (auto ? 'auto' : 'none') : 'set';
  const input = {
    location_name,
    name,
    password_mode: mode,
    ...(password === undefined ? {} : { password }),
  } as const;
  const made = await sftp.createStorage(sftpOf(service), ctx, input);
  return view(ctx, await findAny(ctx, made.id), passwordOf(made));
}

/** What is not given stays. @throws Invalid, NotFound, Locked */
export async function update(
  service: OlderStorageService,
  ctx: RequestContext,
  id: number,
  { expires, server_alias }: UpdateOlderStorage,
): Promise<OlderStorage> {
  await findOf(ctx, id, 'sftp');
  await sftp.updateStorage(sftpOf(service), ctx, id, {
    ...(expires === undefined ? {} : { expires }),
    ...(server_alias === undefined ? {} : { server_alias }),
  });
  return get(ctx, id);
}

/** @throws NotFound, Locked */
export async function remove(service: OlderStorageService, ctx: RequestContext, id: number): Promise<void> {
  const { type } = await find(ctx, id);
  if (type === 'sftp') await sftp.deleteStorage(sftpOf(service), ctx, id);
  else await s3.deleteStorage(service, ctx, id);
}

/** @param clientId that of the caller, if it is given
 *  @throws NotFound, Invalid for an SFTP storage, Conflict when it is not deleted, Gone */
export async function restore(
  service: OlderStorageService,
  ctx: RequestContext,
  id: number,
  clientId: number | undefined,
): Promise<void> {
  if (clientId !== undefined && clientId !== ctx.caller.clientId)
    throw new NotFound(`Storage ${id} was not found`);
  const { type } = await findAny(ctx, id);
  if (type === 'sftp')
    throw new Conflict(`Storage ${id} cannot be restored: the files of SFTP storages are gone`);
  await s3.restoreStorage(service, ctx, id);
}

/** What a schema cannot find in new credentials. */
export function checkCredentials(input: Partial<ChangeCredentials>, faults: Faults): void {
  const passwordFields = PASSWORD_FIELDS.filter((field) => isRequested(input[field]));
  for (const field of passwordFields.slice(1))
    faults.add(field, `must be left out beside ${passwordFields[0]}`);
}

const PASSWORD_FIELDS = ['sftp_password', 'generate_sftp_password', 'delete_sftp_password'] as const;
const SFTP_FIELDS = [...PASSWORD_FIELDS, 'reset_sftp_keys'] as const;
const isRequested = (value: unknown) => value !== undefined && value !== false;

/** Changes what opens a storage. @returns the storage, with what is new @throws Invalid, NotFound, Locked */
export async function changeCredentials(
  service: OlderStorageService,
  ctx: RequestContext,
  id: number,
  input: ChangeCredentials,
): Promise<OlderStorage> {
  const { type } = await find(ctx, id);
  const faults = new Faults();
  checkCredentials(input, faults);
  const others = type === 'sftp' ? (['generate_s3_keys'] as const) : SFTP_FIELDS;
  for (const field of others)
    if (isRequested(input[field])) faults.add(field, `must be left out for a storage of type ${type}`);
  faults.refuse();
  const made =
    type === 'sftp' ? await newPassword(service, ctx, id, input) : await newKey(service, ctx, id, input);
  return view(ctx, await find(ctx, id), made);
}

type Credentials = Pick<OlderStorage['credentials'], 's3' | 'sftp_password'>;

async function newPassword(
  service: OlderStorageService,
  ctx: RequestContext,
  id: number,
  {
    sftp_password: password,
    generate_sftp_password,
    delete_sftp_password,
    reset_sftp_keys,
  }: ChangeCredentials,
): Promise<Credentials> {
  return passwordOf(
    await sftp.updateStorage(sftpOf(service), ctx, id, {
      ...(password === undefined ? {} : { password_mode: 'set', password }),
      ...(generate_sftp_password && { password_mode: 'auto' }),
      ...(delete_sftp_password && { password_mode: 'none' }),
      ...(reset_sftp_keys && { ssh_key_ids: [] }),
    }),
  );
}

/** The others end once the new one is there. */
async function newKey(
  service: OlderStorageService,
  ctx: RequestContext,
  id: number,
  { generate_s3_keys: isNew }: ChangeCredentials,
): Promise<Credentials> {
  if (!isNew) return {};
  const all = { limit: s3.MAX_KEYS, offset: 0, order_by: 'created_at.asc' };
  const { results: before } = await s3.listKeys(ctx, id, all);
  const { access_key, secret_key } = await s3.createKey(service, ctx, id, false);
  for (const old of before) await s3.deleteKey(service, ctx, id, old.access_key);
  return { s3: { access_key, secret_key } };
}

const passwordOf = ({ password }: { readonly password?: string }): Credentials =>
  password === undefined ? {} : { sftp_password: password };

/** Lets a key open a storage, or lets it no longer. @throws NotFound, Invalid, Locked */
export async function linkKey(
  service: OlderStorageService,
  ctx: RequestContext,
  { storage_id: id, key_id: keyId }: { readonly storage_id: number; readonly key_id: number },
  isLinked: boolean,
): Promise<void> {
  await findOf(ctx, id, 'sftp');
  await sftp.getSshKey(ctx, keyId);
  await sftp.linkKey(sftpOf(service), ctx, id, { keyId, isLinked });
}

const keysOf = ({ settings }: OlderRow): readonly number[] => settings?.ssh_key_ids ?? [];

async function viewAll(ctx: RequestContext, rows: readonly OlderRow[]): Promise<OlderStorage[]> {
  const keys = await sftp.readSshKeys(ctx, [...new Set(rows.flatMap(keysOf))]);
  return rows.map((row) => viewRow(row, keys, {}));
}

async function view(ctx: RequestContext, row: OlderRow, made: Credentials = {}): Promise<OlderStorage> {
  return viewRow(row, await sftp.readSshKeys(ctx, keysOf(row)), made);
}

function viewRow(row: OlderRow, keys: readonly sftp.ShownSshKey[], made: Credentials): OlderStorage {
  const { settings, deleted_at, status } = row;
  const linked = keysOf(row).flatMap((id) => keys.find((key) => key.id === id) ?? []);
  return {
    id: row.id,
    name: `${row.client_id}-${row.name}`,
    type: row.type,
    location: row.location,
    address: row.address ?? '',
    client_id: row.client_id,
    reseller_id: 0,
    provisioning_status: status === 'active' ? 'ok' : status,
    created_at: zuluTime(row.created_at),
    ...(deleted_at && { deleted_at: zuluTime(deleted_at) }),
    can_restore: row.can_restore,
    ...(settings?.expires_at && { expires: zuluTime(settings.expires_at) }),
    server_alias: settings?.server_alias ?? '',
    custom_config_file: settings?.has_custom_config_file ?? false,
    disable_http: settings?.is_http_disabled ?? false,
    rewrite_rules: {},
    credentials: { keys: linked.map(viewKey), ...made },
  };
}

export const viewKey = ({ id, name, created_at }: sftp.ShownSshKey) => ({ id, name, created_at });
