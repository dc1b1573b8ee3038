import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import {
  Defaulted,
  Key,
  ListOf,
  namePart,
  offsetParameter,
  StringEnum,
  ZuluTime,
} from '../../platform/http/schemas.ts';
import { STATUSES } from './model.ts';

const STORAGE_NAME = worded(
  '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
  'must be lowercase letters, digits and "-", and begin and end with a letter or digit',
);
const BUCKET_NAME = worded(
  '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$',
  'must be lowercase letters, digits, "." and "-", and begin and end with a letter or digit',
);

export const StorageParams = Type.Object({ storage_id: Key() });
export const KeyParams = Type.Object({ storage_id: Key(), access_key: Type.String({ maxLength: 128 }) });
export const BucketParams = Type.Object({ storage_id: Key(), name: Type.String({ maxLength: 255 }) });

/** The shape of a bucket's name. */
export const bucketName = () => Type.String({ minLength: 3, maxLength: 63, pattern: BUCKET_NAME });

/** The shape of a storage's name. */
export const storageName = () => Type.String({ minLength: 1, maxLength: 63, pattern: STORAGE_NAME });

export const orderParameter = () =>
  Defaulted(
    Type.String({
      default: 'created_at.desc',
      maxLength: 100,
      description: 'A field and a direction: `name.asc`, `created_at.desc`.',
    }),
  );
export const limitParameter = () => Defaulted(Type.Integer({ minimum: 1, maximum: 1000, default: 10 }));
const page = { limit: limitParameter(), offset: offsetParameter() };

export const PageQuery = Type.Object(page);
export const OrderedQuery = Type.Object({ ...page, order_by: orderParameter() });

export const LocationListQuery = Type.Object({
  ...page,
  order_by: orderParameter(),
  type: Type.Optional(
    StringEnum(['standard', 'fast', 'sftp'], {
      description: 'What is to be made there: `standard` and `fast` are of S3, and no location has `fast`.',
    }),
  ),
});

export const StorageListQuery = Type.Object({
  ...page,
  order_by: orderParameter(),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  name__contains: namePart(),
  location_name: Type.Optional(Type.String()),
  type: Type.Optional(StringEnum(['standard', 'fast'])),
  provisioning_status: Type.Optional(StringEnum(STATUSES)),
  show_deleted: Type.Optional(
    Type.Boolean({ description: 'List storages that are deleted, too; some can be restored.' }),
  ),
});

export const StorageAuthority = Type.Object(
  { ca_certificate: Type.String({ description: 'PEM' }) },
  { $id: 'StorageAuthority' },
);

export const Location = Type.Object(
  {
    name: Type.String({ description: 'What `location_name` of a storage names.' }),
    title: Type.String({ description: 'For people.' }),
    technical_name: Type.String({ description: 'The same as `name`.' }),
    type: StringEnum(['s3_compatible', 'sftp']),
    address: Type.String({ description: 'Empty: each storage has an address of its own.' }),
  },
  { $id: 'StorageLocation' },
);

const storage = {
  id: Type.Integer(),
  name: Type.String(),
  full_name: Type.String({ description: 'The name with the number of the account before it.' }),
  location_name: Type.String(),
  type: StringEnum(['standard', 'fast']),
  address: Type.String({
    description: 'The endpoint for S3 clients, with path-style addresses; empty until there is one.',
  }),
  provisioning_status: StringEnum(STATUSES),
  created_at: ZuluTime(),
};

export const ObjectStorage = Type.Object(storage, { $id: 'ObjectStorage' });

const secret = Type.String({ description: 'Shown once.' });

export const NewObjectStorage = Type.Object(
  {
    ...storage,
    access_keys: Type.Array(Type.Object({ access_key: Type.String(), secret_key: secret })),
  },
  { $id: 'NewObjectStorage' },
);

export const CreateObjectStorage = Type.Object(
  {
    location_name: Type.String({ description: 'See GET /storage/v4/locations.' }),
    name: storageName(),
  },
  { $id: 'CreateObjectStorage' },
);
export type CreateObjectStorage = Static<typeof CreateObjectStorage>;

const accessKey = {
  access_key: Type.String(),
  is_read_only: Type.Boolean({ description: 'It may list and read, and change nothing.' }),
  read_only: Type.Boolean({ description: 'The same, as SDKs call it.' }),
  created_at: ZuluTime(),
};
export const AccessKey = Type.Object(accessKey, { $id: 'StorageAccessKey' });
export const NewAccessKey = Type.Object({ ...accessKey, secret_key: secret }, { $id: 'NewStorageAccessKey' });
export const CreateAccessKey = Type.Object(
  { read_only: Type.Optional(Type.Boolean()) },
  { $id: 'CreateStorageAccessKey', default: {} },
);

const CORS = 'Which web pages may use it.';
const LIFECYCLE = 'How long its objects stay.';
const origins = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 100,
  description: 'Origins of web pages that may use the bucket: `https://app.example`, or `*` for all.',
});
const days = Type.Integer({
  minimum: 0,
  maximum: 36_500,
  description: 'Objects go so many days after they were last written; 0: they stay.',
});
const isPublic = Type.Boolean({ description: 'Everybody may read its objects, without a key.' });

export const Bucket = Type.Object(
  {
    name: Type.String(),
    storage_id: Type.Integer(),
    cors: Type.Object({ allowed_origins: origins }, { description: CORS }),
    lifecycle: Type.Object({ expiration_days: days }, { description: LIFECYCLE }),
    policy: Type.Object({ is_public: isPublic }),
  },
  { $id: 'StorageBucket' },
);

export const CreateBucket = Type.Object({ name: bucketName() }, { $id: 'CreateStorageBucket' });

export const UpdateBucket = Type.Object(
  {
    cors: Type.Optional(Type.Object({ allowed_origins: Type.Optional(origins) }, { description: CORS })),
    lifecycle: Type.Optional(
      Type.Object({ expiration_days: Type.Optional(days) }, { description: LIFECYCLE }),
    ),
    policy: Type.Optional(Type.Object({ is_public: Type.Optional(isPublic) })),
  },
  { $id: 'UpdateStorageBucket', default: {} },
);
export type UpdateBucket = Static<typeof UpdateBucket>;

/** Seconds in a week: as long as S3 lets one be. */
const LONGEST_SIGNED = 604_800;

export const SignUrl = Type.Object(
  {
    method: StringEnum(['DELETE', 'GET', 'HEAD', 'POST', 'PUT'], { description: 'Of the request.' }),
    path: Type.String({
      minLength: 1,
      maxLength: 1100,
      description: 'The bucket and the object, not encoded: `/photos/cats/1.jpg`.',
    }),
    parameters: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 2048 }), {
        maxProperties: 20,
        description: 'What stands behind the question mark, not encoded: `{"list-type": "2"}`.',
      }),
    ),
    expires_seconds: Defaulted(
      Type.Integer({
        minimum: 1,
        maximum: LONGEST_SIGNED,
        default: 300,
        description: 'How long it can be used; a week at most.',
      }),
    ),
  },
  { $id: 'SignStorageUrl' },
);
export type SignUrl = Static<typeof SignUrl>;

export const SignedUrl = Type.Object(
  {
    url: Type.String({ description: 'At the address of the storage: whoever has it can use it.' }),
    passed_on: Type.String({
      description: 'The same as a path of this server, which passes it on: for web pages of this origin.',
    }),
    expires_at: ZuluTime(),
  },
  { $id: 'SignedStorageUrl' },
);

export const LocationList = ListOf(Location, 'StorageLocationList');
export const ObjectStorageList = ListOf(ObjectStorage, 'ObjectStorageList');
export const AccessKeyList = ListOf(AccessKey, 'StorageAccessKeyList');
export const BucketList = ListOf(Bucket, 'StorageBucketList');
