import { type Static, Type } from '@sinclair/typebox';
import {
  IpAddress,
  IpNetwork,
  ListOf,
  ListQuery,
  Nullable,
  OrderBy,
  StringEnum,
  TIMES,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { MetadataList, TagsPatch } from '../../../platform/http/tags.ts';

const RESOURCE_TYPES = [
  'baremetal_server',
  'basic_vm',
  'dhcp',
  'gpu_baremetal_server',
  'gpu_virtual_server',
  'instance',
  'load_balancer',
  'router',
] as const;
const MANAGERS = ['system', 'user'] as const;

const AddressPair = Type.Object({ ip_address: Type.Union([IpAddress(), IpNetwork()]) });
const IpAssignment = Type.Object({
  ip_address: IpAddress(),
  subnet_id: Uuid(),
});
const Trunk = Type.Unsafe<null>({
  anyOf: [
    {
      $id: 'PortTrunk',
      type: 'object',
      oneOf: [
        {
          $id: 'TrunkParent',
          type: 'object',
          required: ['role'],
          properties: { role: { type: 'string', const: 'parent' } },
        },
        {
          $id: 'TrunkSubPort',
          type: 'object',
          required: ['parent_port_id', 'role'],
          properties: {
            parent_port_id: { type: 'string', format: 'uuid' },
            role: { type: 'string', const: 'sub_port' },
          },
        },
      ],
      discriminator: { propertyName: 'role' },
    },
    { type: 'null' },
  ],
});
const plainTags = (description: string) => Type.Record(Type.String(), Type.String(), { description });

export const Port = Type.Object(
  {
    id: Uuid(),
    network_id: Uuid(),
    mac_address: Type.String(),
    ip_assignments: Type.Array(IpAssignment),
    attached_to: Nullable(
      Type.Object({
        resource_id: Nullable(Uuid()),
        resource_type: Nullable(StringEnum(RESOURCE_TYPES)),
        trunk: Trunk,
      }),
    ),
    managed_by: StringEnum(MANAGERS, {
      description: 'system: it comes and goes with a load balancer or router.',
    }),
    capabilities: Nullable(
      Type.Object(
        {
          allowed_address_pairs: Type.Boolean(),
          port_security: Type.Boolean(),
          security_groups: Type.Boolean(),
        },
        { description: 'What can be changed.' },
      ),
    ),
    port_security_enabled: Type.Boolean(),
    security_group_ids: Type.Array(Uuid()),
    allowed_address_pairs: Type.Array(AddressPair, {
      description: 'Addresses beside its own that may be used through it.',
    }),
    tags: plainTags('Tags of the user.'),
    system_tags: plainTags('Tags that only the operator changes.'),
    metadata: MetadataList(),
    ...TIMES,
  },
  { $id: 'Port' },
);
export const PortList = ListOf(Port, 'PortList');

/** Allowed address pairs of a port, and security groups. */
export const MOST_PAIRS = 10;
const MOST_GROUPS = 10;

export const UpdatePort = Type.Object(
  {
    allowed_address_pairs: Type.Optional(Type.Array(AddressPair, { maxItems: MOST_PAIRS })),
    ip_assignments: Type.Optional(
      Type.Array(IpAssignment, { description: 'All that it is to have from now on.' }),
    ),
    port_security_enabled: Type.Optional(Type.Boolean()),
    security_group_ids: Type.Optional(Type.Array(Uuid(), { maxItems: MOST_GROUPS })),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'UpdatePort' },
);
export type UpdatePort = Static<typeof UpdatePort>;

export const PORT_ORDERS = ['created_at', 'network_id'] as const;
export type PortOrderField = (typeof PORT_ORDERS)[number];

export const PortListQuery = ListQuery(
  {
    attached: Type.Optional(Type.Boolean()),
    ids: Type.Optional(Type.Array(Uuid())),
    ip_addresses: Type.Optional(Type.Array(IpAddress())),
    managed_by: Type.Optional(StringEnum(MANAGERS)),
    network_ids: Type.Optional(Type.Array(Uuid())),
    order_by: OrderBy(PORT_ORDERS, 'created_at.desc'),
    parent_port_id: Type.Optional(
      Uuid({ description: 'No port is part of a trunk here, so that none matches.' }),
    ),
    resource_id: Type.Optional(Uuid()),
    resource_type: Type.Optional(StringEnum(RESOURCE_TYPES)),
    subnet_ids: Type.Optional(Type.Array(Uuid())),
  },
  100,
);
export type PortListQuery = Static<typeof PortListQuery>;
