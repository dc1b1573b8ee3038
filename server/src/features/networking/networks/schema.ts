import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  StringEnum,
  TASKS,
  TIMES,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { tagFilters } from '../../../platform/http/tag-filters.ts';
import { MetadataList, NameAndTags, NEW_TAGS, Tag } from '../../../platform/http/tags.ts';
import { NETWORK_TYPES } from './model.ts';

export const Network = Type.Object(
  {
    id: Uuid(),
    project_id: Nullable(Type.Integer()),
    region_id: Type.Integer(),
    region: Type.String(),
    name: Type.String(),
    type: Type.String(),
    segmentation_id: Nullable(Type.Integer()),
    mtu: Type.Integer(),
    default: Nullable(Type.Boolean()),
    external: Type.Boolean(),
    shared: Type.Boolean(),
    port_security_enabled: Type.Boolean(),
    subnets: Type.Array(Uuid()),
    tags: Type.Array(Tag),
    metadata: MetadataList(),
    ...TASKS,
    ...TIMES,
  },
  { $id: 'Network' },
);
export const NetworkList = ListOf(Network, 'NetworkList');

export const CreateNetwork = Type.Object(
  {
    name: Name(),
    type: Defaulted(StringEnum(NETWORK_TYPES, { default: 'vxlan' })),
    create_router: Defaulted(
      Type.Boolean({ default: true, description: 'A router that comes and goes with the network.' }),
    ),
    ...NEW_TAGS,
  },
  { $id: 'CreateNetwork' },
);
export type CreateNetwork = Static<typeof CreateNetwork>;

export const UpdateNetwork = NameAndTags('UpdateNetwork');
export type UpdateNetwork = Static<typeof UpdateNetwork>;

const NETWORK_ORDERS = [
  'created_at.asc',
  'created_at.desc',
  'name.asc',
  'name.desc',
  'priority.desc',
] as const;
export type NetworkOrder = (typeof NETWORK_ORDERS)[number];

export const ownedBy = () =>
  Defaulted(
    StringEnum(['any', 'project'], {
      default: 'project',
      description: 'any: also what the region shares with every project.',
    }),
  );

export const NetworkListQuery = ListQuery({
  external: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String({ maxLength: 61 })),
  name__contains: namePart(),
  network_type: Type.Optional(StringEnum(NETWORK_TYPES)),
  owned_by: ownedBy(),
  order_by: Defaulted(StringEnum(NETWORK_ORDERS, { default: 'created_at.desc' })),
  ...tagFilters('networks'),
});
export type NetworkListQuery = Static<typeof NetworkListQuery>;

export const AvailableNetworkQuery = ListQuery({
  external: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String({ maxLength: 61 })),
  network_id: Type.Optional(Uuid()),
  network_type: Type.Optional(StringEnum(NETWORK_TYPES)),
  shared: Type.Optional(Type.Boolean({ description: 'Whether the region shares it with every project' })),
  order_by: Defaulted(StringEnum(NETWORK_ORDERS, { default: 'created_at.desc' })),
  ...tagFilters('networks'),
});
export type AvailableNetworkQuery = Static<typeof AvailableNetworkQuery>;

const NetworkPort = Type.Object(
  { id: Uuid(), instance_id: Uuid(), instance_name: Type.String() },
  { $id: 'NetworkPort' },
);
export const NetworkPortList = ListOf(NetworkPort, 'NetworkPortList');
