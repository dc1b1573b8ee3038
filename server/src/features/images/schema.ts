import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import {
  Defaulted,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  SCOPE,
  StringEnum,
  TASKS,
  TIMES,
  Uuid,
} from '../../platform/http/schemas.ts';
import { tagFilters } from '../../platform/http/tag-filters.ts';
import { MetadataObject, NEW_TAGS, Tag, TagsPatch } from '../../platform/http/tags.ts';
import { ARCHITECTURES, FIRMWARE_TYPES, MACHINE_TYPES, OS_TYPES, SSH_KEYS } from './model.ts';

const nullableText = () => Nullable(Type.String());
const Price = () => Nullable(Type.Number());

export const Image = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    name: Type.String(),
    description: nullableText(),
    status: Type.String(),
    visibility: Type.String(),
    architecture: StringEnum(ARCHITECTURES),
    os_type: StringEnum(OS_TYPES),
    os_distro: Type.String(),
    os_version: Type.String(),
    disk_format: Type.String(),
    min_disk: Type.Integer({ description: 'GiB that a volume of it needs at least' }),
    min_ram: Type.Integer({ description: 'MiB that an instance of it needs at least' }),
    size: Nullable(Type.Integer({ description: 'bytes' })),
    ssh_key: Nullable(StringEnum(SSH_KEYS)),
    hw_firmware_type: Nullable(StringEnum(FIRMWARE_TYPES)),
    hw_machine_type: Nullable(StringEnum(MACHINE_TYPES)),
    is_baremetal: Type.Boolean(),
    display_order: Nullable(Type.Integer()),
    gpu_driver: nullableText(),
    gpu_driver_type: nullableText(),
    gpu_driver_version: nullableText(),
    currency_code: nullableText(),
    price_per_hour: Price(),
    price_per_month: Price(),
    price_status: Nullable(StringEnum(['error', 'hide', 'show'])),
    tags: Type.Array(Tag),
    tags_v2: Type.Array(Tag),
    metadata: MetadataObject(),
    metadata_detailed: Type.Array(Tag, { description: 'The tags, for older clients.' }),
    ...TASKS,
    ...TIMES,
  },
  { $id: 'Image' },
);
export const ImageList = ListOf(Image, 'ImageList');

const include_prices = (options = {}) =>
  Type.Optional(
    Type.Boolean({
      description: 'Accepted: images are shown without prices; ask for those under pricing.',
      ...options,
    }),
  );

export const ImageListQuery = ListQuery({
  architecture: Type.Optional(StringEnum(ARCHITECTURES)),
  include_prices: include_prices(),
  name: Type.Optional(Type.String()),
  name__contains: namePart(),
  os_distro: Type.Optional(Type.String()),
  os_version: Type.Optional(Type.String()),
  private: Type.Optional(Type.String({ description: 'Any value: the images of the project alone.' })),
  visibility: Type.Optional(StringEnum(['private', 'public', 'shared'])),
  ...tagFilters('images'),
});
export type ImageListQuery = Static<typeof ImageListQuery>;
export const ImageQuery = Type.Object({ include_prices: include_prices({ default: false }) });

const traits = {
  name: Name(),
  architecture: Defaulted(StringEnum(ARCHITECTURES, { default: 'x86_64' })),
  os_type: Defaulted(StringEnum(OS_TYPES, { default: 'linux' })),
  ssh_key: Defaulted(StringEnum(SSH_KEYS, { default: 'allow' })),
  hw_firmware_type: Defaulted(Nullable(StringEnum(FIRMWARE_TYPES), { default: null })),
  hw_machine_type: Defaulted(Nullable(StringEnum(MACHINE_TYPES), { default: null })),
  is_baremetal: Defaulted(Type.Boolean({ default: false })),
  ...NEW_TAGS,
};
export const CreateImage = Type.Object(
  { ...traits, volume_id: Uuid(), source: Type.Optional(Type.Literal('volume', { default: 'volume' })) },
  { $id: 'CreateImage' },
);
export type CreateImage = Static<typeof CreateImage>;

/** Addresses that storages sign hold a session of some thousand characters. */
const LONGEST_URL = 8192;
export const DownloadImage = Type.Object(
  {
    ...traits,
    url: Type.String({
      format: 'uri',
      pattern: worded('^https?://', 'must begin with http:// or https://'),
      minLength: 1,
      maxLength: LONGEST_URL,
      description: 'Where the file is. A simulated region keeps the address and fetches nothing.',
    }),
    cow_format: Defaulted(
      Type.Boolean({
        default: false,
        description: 'Volumes that are made of it need it: it can be deleted after them.',
      }),
    ),
    os_distro: Defaulted(Nullable(Type.String({ maxLength: 255 }), { default: null })),
    os_version: Defaulted(Nullable(Type.String({ maxLength: 255 }), { default: null })),
  },
  { $id: 'DownloadImage' },
);
export type DownloadImage = Static<typeof DownloadImage>;

export const UpdateImage = Type.Object(
  {
    name: Type.Optional(Name()),
    os_type: Type.Optional(StringEnum(OS_TYPES)),
    ssh_key: Type.Optional(StringEnum(SSH_KEYS)),
    hw_firmware_type: Type.Optional(StringEnum(FIRMWARE_TYPES)),
    hw_machine_type: Type.Optional(StringEnum(MACHINE_TYPES)),
    is_baremetal: Type.Optional(Nullable(Type.Boolean())),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'UpdateImage' },
);
export type UpdateImage = Static<typeof UpdateImage>;
