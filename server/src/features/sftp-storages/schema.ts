import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import { Key, ListOf, Nullable, offsetParameter, StringEnum, ZuluTime } from '../../platform/http/schemas.ts';
import { limitParameter, orderParameter, STATUSES, storageName } from '../object-storage/index.ts';

export const StorageParams = Type.Object({ storage_id: Key() });
export const SshKeyParams = Type.Object({ ssh_key_id: Key() });

const page = { limit: limitParameter(), offset: offsetParameter(), order_by: orderParameter() };

export const SftpListQuery = Type.Object({
  ...page,
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  location_name: Type.Optional(Type.String()),
  provisioning_status: Type.Optional(StringEnum(STATUSES)),
  show_deleted: Type.Optional(Type.Boolean({ description: 'List storages that are deleted, too.' })),
});

export const SshKeyListQuery = Type.Object({ ...page, name: Type.Optional(Type.String()) });

const EXPIRES =
  'After how long nobody gets in any more, such as `2 years 6 months`; null or empty: it does not end. Files stay.';
const ALIAS = 'A name of your own that leads to it; it is kept for your records. Empty: none.';
const CUSTOM = 'Kept for your records.';
const HTTP = 'Kept for your records: storages are served by SFTP alone.';
const KEYS = 'Keys that open it, in the order given; see GET /storage/v4/ssh_keys.';

const ids = Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
  description: KEYS,
  maxItems: 100,
});

const storage = {
  id: Type.Integer(),
  name: Type.String(),
  full_name: Type.String({ description: 'The user name of SFTP clients.' }),
  location_name: Type.String(),
  address: Type.String({ description: 'Where SFTP clients find it; empty until there is one.' }),
  provisioning_status: StringEnum(STATUSES),
  created_at: ZuluTime(),
  expires: Nullable(Type.String(), { description: EXPIRES }),
  has_password: Type.Boolean({ description: 'A password opens it, too.' }),
  has_custom_config_file: Type.Boolean({ description: CUSTOM }),
  is_http_disabled: Type.Boolean({ description: HTTP }),
  server_alias: Type.String({ description: ALIAS }),
  ssh_key_ids: Type.Array(Type.Integer(), { description: KEYS }),
  password: Type.Optional(Type.String({ description: 'In the answer that makes it, and never again.' })),
};

export const SftpStorage = Type.Object(storage, { $id: 'SftpStorage' });

const changeable = {
  expires: Type.Optional(Nullable(Type.String({ maxLength: 200 }), { description: EXPIRES })),
  has_custom_config_file: Type.Optional(Type.Boolean({ description: CUSTOM })),
  is_http_disabled: Type.Optional(Type.Boolean({ description: HTTP })),
  server_alias: Type.Optional(Nullable(Type.String({ maxLength: 253 }), { description: ALIAS })),
  ssh_key_ids: Type.Optional(ids),
};

/** The field of a password has two names, by the version of the client. */
const passwords = {
  password: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 63,
      description: 'With `password_mode` `set`, and only then.',
    }),
  ),
  sftp_password: Type.Optional(
    Type.String({ minLength: 8, maxLength: 63, description: 'The same as `password`.' }),
  ),
};

export const CreateSftpStorage = Type.Object(
  {
    location_name: Type.String({ description: 'See GET /storage/v4/locations, those of type `sftp`.' }),
    name: storageName(),
    password_mode: StringEnum(['auto', 'set', 'none'], {
      description:
        '`auto`: a password is made, and shown once; `set`: the one that you give; `none`: keys alone.',
    }),
    ...passwords,
    ...changeable,
  },
  { $id: 'CreateSftpStorage' },
);
export type CreateSftpStorage = Static<typeof CreateSftpStorage>;

export const UpdateSftpStorage = Type.Object(
  {
    password_mode: Type.Optional(
      StringEnum(['auto', 'set', 'none'], {
        description:
          '`auto`: a new password is made, and shown once; `set`: the one that you give; `none`: the password goes.',
      }),
    ),
    ...passwords,
    ...changeable,
  },
  { $id: 'UpdateSftpStorage', default: {} },
);
export type UpdateSftpStorage = Static<typeof UpdateSftpStorage>;

export const SshKey = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    public_key: Type.String({ description: 'In the form of OpenSSH.' }),
    created_at: ZuluTime(),
  },
  { $id: 'StorageSshKey' },
);

export const CreateSshKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 127, pattern: worded('\\S', 'must not be blank') }),
    public_key: Type.String({
      maxLength: 16_384,
      description: 'One line, as in `~/.ssh/id_ed25519.pub`: Ed25519, ECDSA, or RSA of 2048 bits or more.',
    }),
  },
  { $id: 'CreateStorageSshKey' },
);
export type CreateSshKey = Static<typeof CreateSshKey>;

export const SftpStorageList = ListOf(SftpStorage, 'SftpStorageList');
export const SshKeyList = ListOf(SshKey, 'StorageSshKeyList');
