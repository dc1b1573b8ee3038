import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import {
  Key,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  OffsetTime,
  SCOPE,
  StringEnum,
  Uuid,
} from '../../platform/http/schemas.ts';
import { tagFilters } from '../../platform/http/tag-filters.ts';
import { MetadataObject, NameAndTags, NEW_TAGS, Tag } from '../../platform/http/tags.ts';
import { MAX_POLICIES } from './lifecycle-policies/model.ts';
import { VOLUME_STATUSES, VOLUME_TYPES } from './model.ts';

const nullable = (of = Type.String()) => Nullable(of, { default: null });

const VolumeAttachment = Type.Object(
  {
    attachment_id: Type.String(),
    volume_id: Type.String(),
    server_id: nullable(),
    instance_name: nullable(),
    flavor_id: nullable(),
    device: nullable(),
    attached_at: Nullable(OffsetTime(), { default: null }),
  },
  { $id: 'VolumeAttachment' },
);

const VolumeLimits = Type.Object(
  {
    iops_base_limit: Type.Integer(),
    iops_burst_limit: Type.Integer(),
    MBps_base_limit: Type.Integer(),
    MBps_burst_limit: Type.Integer(),
  },
  { $id: 'VolumeLimits' },
);

export const Volume = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    name: Type.String(),
    size: Type.Integer({ description: 'GiB' }),
    volume_type: Type.String(),
    status: StringEnum(VOLUME_STATUSES),
    bootable: Type.Boolean(),
    is_root_volume: Type.Boolean(),
    attachments: Nullable(Type.Array(VolumeAttachment), { default: null }),
    volume_image_metadata: Nullable(Type.Record(Type.String(), Type.String()), { default: null }),
    limiter_stats: Nullable(VolumeLimits, { default: null }),
    snapshot_ids: Nullable(Type.Array(Type.String()), { default: null }),
    tags: Type.Array(Tag),
    metadata: MetadataObject(),
    metadata_detailed: Type.Array(Tag, { description: 'The tags, for older clients.' }),
    task_id: nullable(Uuid()),
    creator_task_id: nullable(Uuid()),
    created_at: OffsetTime(),
    updated_at: Nullable(OffsetTime(), { default: null }),
  },
  { $id: 'Volume' },
);
export const VolumeList = ListOf(Volume, 'VolumeList');

const ATTACHMENT_TAG = worded('^[^,/]{1,60}$', 'must be 1 to 60 characters other than "," and "/"');
export const AttachmentTag = () => Type.String({ pattern: ATTACHMENT_TAG });
export const VolumeTypeName = (options = {}) => StringEnum(VOLUME_TYPES, options);
export const VolumeSize = () => Type.Integer({ minimum: 1, description: 'GiB' });

const common = {
  name: Name(),
  type_name: Type.Optional(VolumeTypeName({ description: 'Absent: standard, or that of the snapshot.' })),
  instance_id_to_attach_to: Type.Optional(Type.String()),
  attachment_tag: Type.Optional(AttachmentTag()),
  lifecycle_policy_ids: Type.Optional(Type.Array(Key(), { maxItems: MAX_POLICIES })),
  ...NEW_TAGS,
};
const variants = [
  Type.Object(
    { source: Type.Literal('new-volume'), size: VolumeSize(), ...common },
    { $id: 'CreateEmptyVolume' },
  ),
  Type.Object(
    { source: Type.Literal('image'), image_id: Uuid(), size: VolumeSize(), ...common },
    { $id: 'CreateVolumeFromImage' },
  ),
  Type.Object(
    {
      source: Type.Literal('snapshot'),
      snapshot_id: Uuid(),
      size: Type.Optional(VolumeSize()),
      ...common,
    },
    { $id: 'CreateVolumeFromSnapshot' },
  ),
] as const;
export type CreateVolume = Static<(typeof variants)[number]>;
export const CreateVolume = Type.Unsafe<CreateVolume>({
  $id: 'CreateVolume',
  oneOf: variants,
  discriminator: { propertyName: 'source' },
  type: 'object',
  required: ['source'],
});

export const UpdateVolume = NameAndTags('UpdateVolume');
export type UpdateVolume = Static<typeof UpdateVolume>;

export const AttachVolume = Type.Object(
  { instance_id: Uuid(), attachment_tag: Type.Optional(AttachmentTag()) },
  { $id: 'AttachVolume' },
);
export type AttachVolume = Static<typeof AttachVolume>;

export const DetachVolume = Type.Object({ instance_id: Uuid() }, { $id: 'DetachVolume' });
export const ExtendVolume = Type.Object({ size: VolumeSize() }, { $id: 'ExtendVolume' });
export const RetypeVolume = Type.Object(
  { volume_type: StringEnum(['ssd_hiiops', 'standard']) },
  { $id: 'RetypeVolume' },
);
export type RetypeVolume = Static<typeof RetypeVolume>;

export const DeleteVolumeQuery = Type.Object({
  snapshots: Type.Optional(
    Type.String({ description: 'Snapshots to delete with it: their ids, with commas between.' }),
  ),
});

export const VolumeListQuery = ListQuery({
  bootable: Type.Optional(Type.Boolean()),
  cluster_id: Type.Optional(Type.String()),
  has_attachments: Type.Optional(Type.Boolean()),
  id_part: Type.Optional(Type.String()),
  instance_id: Type.Optional(Uuid()),
  name_part: Type.Optional(Type.String()),
  ...tagFilters('volumes'),
});
export type VolumeListQuery = Static<typeof VolumeListQuery>;
