import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  OrderBy,
  ZuluTime,
} from '../../platform/http/schemas.ts';

const LONGEST_DESCRIPTION = 1024;

export const Project = Type.Object(
  {
    id: Type.Integer(),
    client_id: Type.Integer(),
    name: Type.String(),
    description: Nullable(Type.String({ maxLength: LONGEST_DESCRIPTION })),
    state: Type.String(),
    is_default: Type.Boolean(),
    task_id: Nullable(Type.String()),
    created_at: ZuluTime(),
    deleted_at: Nullable(ZuluTime()),
  },
  { $id: 'Project' },
);

export const ProjectList = ListOf(Project, 'ProjectList');

export const CreateProject = Type.Object(
  {
    name: Name(),
    description: Defaulted(Nullable(Type.String({ maxLength: LONGEST_DESCRIPTION }), { default: null })),
  },
  { $id: 'CreateProject' },
);
export type CreateProject = Static<typeof CreateProject>;

export const UpdateProject = Type.Object(
  {
    name: Type.Optional(Name()),
    description: Type.Optional(Type.String({ maxLength: LONGEST_DESCRIPTION })),
  },
  { $id: 'UpdateProject' },
);
export type UpdateProject = Static<typeof UpdateProject>;

export const ReplaceProject = Type.Object(
  {
    name: Name(),
    description: Defaulted(Nullable(Type.String({ maxLength: LONGEST_DESCRIPTION }), { default: null })),
  },
  { $id: 'ReplaceProject' },
);
export type ReplaceProject = Static<typeof ReplaceProject>;

export const ProjectListQuery = ListQuery({
  include_deleted: Defaulted(Type.Boolean({ default: false })),
  name: Type.Optional(Type.String()),
  order_by: OrderBy(['created_at', 'name'], 'created_at.desc'),
});
export type ProjectListQuery = Static<typeof ProjectListQuery>;
