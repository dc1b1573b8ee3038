import { type Static, Type } from '@sinclair/typebox';
import { Key, offsetParameter, StringEnum, ZuluTime } from '../../platform/http/schemas.ts';
import { bucketName, limitParameter, storageName } from '../object-storage/index.ts';

/** Storages as versions 1 to 3 of their calls have them: both kinds together, under one number. */

export const TYPES = ['s3_compatible', 'sftp'] as const;
export type StorageType = (typeof TYPES)[number];
/** `s3` is what clients of version 1 send. */
export const NEW_TYPES = ['s3', ...TYPES] as const;
const STATUSES = ['creating', 'ok', 'updating', 'deleting', 'deleted'] as const;

export const StorageParams = { storage_id: Key() };
export const KeyParams = { key_id: Key({ description: 'The number of the SSH key.' }) };
export const BucketParams = { bucket_name: Type.String({ maxLength: 255 }) };
export const NewBucketParams = { bucket_name: bucketName() };

const page = { limit: limitParameter(), offset: offsetParameter() };
const order = {
  order_by: Type.Optional(Type.String({ maxLength: 50, description: 'A field, such as `name`.' })),
  order_direction: Type.Optional(StringEnum(['asc', 'desc'], { description: 'Default: desc.' })),
};

export const PageQuery = Type.Object(page);

export const KeyQuery = Type.Object({
  ...page,
  ...order,
  id: Type.Optional(Type.String({ maxLength: 50 })),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  created: Type.Optional(Type.String({ maxLength: 50, description: 'How the time begins: `2026-11`.' })),
});
export type KeyQuery = Static<typeof KeyQuery>;

export const StorageQuery = Type.Object({
  ...page,
  ...order,
  id: Type.Optional(Type.String({ maxLength: 50 })),
  name: Type.Optional(
    Type.String({ maxLength: 255, description: 'With or without the number of the account before it.' }),
  ),
  location: Type.Optional(Type.String({ maxLength: 255, description: 'Only those there.' })),
  type: Type.Optional(StringEnum(NEW_TYPES)),
  status: Type.Optional(StringEnum(['active', ...STATUSES], { description: '`active` is `ok`.' })),
  show_deleted: Type.Optional(Type.Boolean({ description: 'List storages that are deleted, too.' })),
});
export type StorageQuery = Static<typeof StorageQuery>;

export const RestoreQuery = Type.Object({
  client_id: Type.Optional(Key({ description: 'The account of the caller.' })),
});

export const OlderKey = Type.Object(
  { id: Type.Integer(), name: Type.String(), created_at: ZuluTime() },
  { $id: 'OlderStorageKey' },
);

export const CreateOlderKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 127 }),
    key: Type.String({ maxLength: 16_384, description: 'One public key in the form of OpenSSH.' }),
  },
  { $id: 'CreateOlderStorageKey' },
);
export type CreateOlderKey = Static<typeof CreateOlderKey>;

const storage = {
  id: Type.Integer(),
  name: Type.String(),
  type: StringEnum(TYPES),
  location: Type.String({ description: 'Where it is.' }),
  address: Type.String({ description: 'Empty until there is one.' }),
  client_id: Type.Integer(),
  reseller_id: Type.Integer({ description: 'Always 0: accounts have no resellers.' }),
  provisioning_status: StringEnum(STATUSES),
  created_at: ZuluTime(),
  deleted_at: Type.Optional(ZuluTime({ description: 'Of one that is deleted.' })),
  can_restore: Type.Boolean({ description: 'Whether it is deleted and its files are still there.' }),
  expires: Type.Optional(ZuluTime({ description: 'When nobody gets in any more; absent: never.' })),
  server_alias: Type.String(),
  custom_config_file: Type.Boolean({ description: 'Kept for your records.' }),
  disable_http: Type.Boolean({ description: 'Kept for your records.' }),
  rewrite_rules: Type.Record(Type.String(), Type.String(), { description: 'Always empty.' }),
  credentials: Type.Object(
    {
      keys: Type.Array(OlderKey, { description: 'SSH keys that open an SFTP storage.' }),
      s3: Type.Optional(
        Type.Object(
          { access_key: Type.String(), secret_key: Type.String({ description: 'The other half.' }) },
          { description: 'In the answer that makes it, and never again.' },
        ),
      ),
      sftp_password: Type.Optional(
        Type.String({ description: 'In the answer that makes it, and never again.' }),
      ),
    },
    { description: 'What opens it.' },
  ),
};

export const OlderStorage = Type.Object(storage, { $id: 'OlderStorage' });
export type OlderStorage = Static<typeof OlderStorage>;

export const CreateOlderStorage = Type.Object(
  {
    type: StringEnum(NEW_TYPES),
    location: Type.String({ maxLength: 255, description: 'See GET /storage/provisioning/v2/locations.' }),
    name: storageName(),
    generate_sftp_password: Type.Optional(
      Type.Boolean({ description: 'Whether an SFTP storage gets a password, which is shown once.' }),
    ),
    sftp_password: Type.Optional(
      Type.String({ minLength: 8, maxLength: 63, description: 'The password of an SFTP storage.' }),
    ),
  },
  { $id: 'CreateOlderStorage' },
);
export type CreateOlderStorage = Static<typeof CreateOlderStorage>;

export const UpdateOlderStorage = Type.Object(
  {
    expires: Type.Optional(
      Type.String({ maxLength: 200, description: 'After how long: `2 years 6 months`; empty: never.' }),
    ),
    server_alias: Type.Optional(Type.String({ maxLength: 253 })),
  },
  { $id: 'UpdateOlderStorage', default: {} },
);
export type UpdateOlderStorage = Static<typeof UpdateOlderStorage>;

export const ChangeCredentials = Type.Object(
  {
    generate_s3_keys: Type.Optional(
      Type.Boolean({ description: 'Make an access key, which takes the place of all others.' }),
    ),
    generate_sftp_password: Type.Optional(Type.Boolean({ description: 'Make a password.' })),
    sftp_password: Type.Optional(
      Type.String({ minLength: 8, maxLength: 63, description: 'The new password.' }),
    ),
    delete_sftp_password: Type.Optional(Type.Boolean({ description: 'Let no password open it.' })),
    reset_sftp_keys: Type.Optional(Type.Boolean({ description: 'Let no key open it.' })),
  },
  { $id: 'ChangeStorageCredentials', default: {} },
);
export type ChangeCredentials = Static<typeof ChangeCredentials>;

/** How lists of the first two versions say how many there are. */
const meta = Type.Object(
  {
    ToMeta: Type.Record(Type.String(), Type.Object({ count: Type.Integer() }), {
      description: 'The number of all that match, under `total`.',
    }),
  },
  { description: 'What is known of the list.' },
);

export const OlderKeyList = Type.Object({ data: Type.Array(OlderKey), meta }, { $id: 'OlderStorageKeyList' });
export const OlderStorageList = Type.Object(
  { data: Type.Array(OlderStorage), meta },
  { $id: 'OlderStorageList' },
);
export const OlderStoragePage = Type.Object(
  { count: Type.Integer(), results: Type.Array(OlderStorage) },
  { $id: 'OlderStoragePage' },
);

const location = {
  name: Type.String({ description: 'The name with the number of the account before it.' }),
  address: Type.String({ description: 'Empty: each storage has an address of its own.' }),
  type: StringEnum(TYPES),
  allow_for_new_storage: StringEnum(['allow', 'deny'], {
    description: 'Whether one can be made at present.',
  }),
};
export const OlderLocations = Type.Array(Type.Object({ id: Type.Integer(), ...location }), {
  $id: 'OlderStorageLocations',
});
export const OlderLocationPage = Type.Object(
  {
    count: Type.Integer(),
    results: Type.Array(Type.Object({ title: Type.String({ description: 'For people.' }), ...location })),
  },
  { $id: 'OlderStorageLocationPage' },
);

const Bucket = Type.Object(
  {
    name: Type.String(),
    lifecycle: Type.Integer({ description: 'Days after which objects go; 0: they stay.' }),
  },
  { $id: 'OlderStorageBucket' },
);
export const OlderBucketList = Type.Object(
  { data: Type.Array(Bucket), total_count: Type.Integer() },
  { $id: 'OlderStorageBucketList' },
);
export const OlderBucketPage = Type.Object(
  { count: Type.Integer(), results: Type.Array(Bucket) },
  { $id: 'OlderStorageBucketPage' },
);

const origins = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 100,
  description: 'Origins of web pages that may use it.',
});
export const BucketCors = Type.Object({ allowedOrigins: origins }, { $id: 'OlderStorageBucketCors' });
export const ChangeBucketCors = Type.Object(
  { allowedOrigins: Type.Optional(origins) },
  { $id: 'ChangeOlderStorageBucketCors', default: {} },
);
export const ChangeBucketLifecycle = Type.Object(
  {
    expiration_days: Type.Integer({
      minimum: 0,
      maximum: 36_500,
      description: 'Objects go so many days after they were last written; 0: they stay.',
    }),
  },
  { $id: 'ChangeOlderStorageBucketLifecycle' },
);
