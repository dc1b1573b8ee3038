import { type Static, Type } from '@sinclair/typebox';
import {
  Key,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  OffsetTime,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { Tag, TagsInput, TagsPatch } from '../../../platform/http/tags.ts';
import { SNAPSHOT_STATUSES } from './model.ts';

export const Snapshot = Type.Object(
  {
    id: Uuid(),
    project_id: Type.Integer(),
    region_id: Type.Integer(),
    region: Type.String(),
    volume_id: Uuid(),
    name: Type.String(),
    description: Nullable(Type.String()),
    status: StringEnum(SNAPSHOT_STATUSES),
    size: Type.Integer({ description: 'GiB' }),
    tags: Type.Array(Tag),
    metadata: Type.Record(Type.String(), Type.String(), {
      description: 'The tags as a plain object, for older clients.',
    }),
    task_id: Nullable(Uuid()),
    creator_task_id: Uuid(),
    created_at: OffsetTime(),
    updated_at: OffsetTime(),
  },
  { $id: 'Snapshot' },
);
export const SnapshotList = ListOf(Snapshot, 'SnapshotList');

export const CreateSnapshot = Type.Object(
  {
    name: Name(),
    volume_id: Uuid(),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    tags: Type.Optional(TagsInput),
    metadata: Type.Optional(TagsInput),
  },
  { $id: 'CreateSnapshot' },
);
export type CreateSnapshot = Static<typeof CreateSnapshot>;

export const UpdateSnapshot = Type.Object(
  { name: Type.Optional(Name()), tags: Type.Optional(TagsPatch) },
  { $id: 'UpdateSnapshot' },
);
export type UpdateSnapshot = Static<typeof UpdateSnapshot>;

export const SnapshotListQuery = ListQuery({
  volume_id: Type.Optional(Uuid()),
  instance_id: Type.Optional(Uuid()),
  lifecycle_policy_id: Type.Optional(Key({ description: 'Of the policy whose schedules made them.' })),
  schedule_id: Type.Optional(Type.String({ description: 'Of the schedule that made them.' })),
});
export type SnapshotListQuery = Static<typeof SnapshotListQuery>;
