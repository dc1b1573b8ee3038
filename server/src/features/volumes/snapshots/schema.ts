import { type Static, Type } from '@sinclair/typebox';
import {
  Key,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  SCOPE,
  StringEnum,
  TIMES,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { MetadataObject, NameAndTags, NEW_TAGS, Tag } from '../../../platform/http/tags.ts';
import { SNAPSHOT_STATUSES } from './model.ts';

export const Snapshot = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    volume_id: Uuid(),
    name: Type.String(),
    description: Nullable(Type.String()),
    status: StringEnum(SNAPSHOT_STATUSES),
    size: Type.Integer({ description: 'GiB' }),
    tags: Type.Array(Tag),
    metadata: MetadataObject(),
    task_id: Nullable(Uuid()),
    creator_task_id: Uuid(),
    ...TIMES,
  },
  { $id: 'Snapshot' },
);
export const SnapshotList = ListOf(Snapshot, 'SnapshotList');

export const CreateSnapshot = Type.Object(
  {
    name: Name(),
    volume_id: Uuid(),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    ...NEW_TAGS,
  },
  { $id: 'CreateSnapshot' },
);
export type CreateSnapshot = Static<typeof CreateSnapshot>;

export const UpdateSnapshot = NameAndTags('UpdateSnapshot');
export type UpdateSnapshot = Static<typeof UpdateSnapshot>;

export const SnapshotListQuery = ListQuery({
  name__contains: namePart(),
  volume_id: Type.Optional(Uuid()),
  instance_id: Type.Optional(Uuid()),
  lifecycle_policy_id: Type.Optional(Key({ description: 'Of the policy whose schedules made them.' })),
  schedule_id: Type.Optional(Type.String({ description: 'Of the schedule that made them.' })),
});
export type SnapshotListQuery = Static<typeof SnapshotListQuery>;
