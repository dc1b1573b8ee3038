import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IpAddress,
  ListOf,
  ListQuery,
  Nullable,
  OrderBy,
  RegionParams,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { LastCheck, OperatingStatus, ProvisioningStatus, port } from '../schema-parts.ts';

/** Members on the wire. */

const weight = () =>
  Type.Unsafe<number>({
    anyOf: [
      { type: 'integer', exclusiveMinimum: 0, maximum: 256 },
      { type: 'integer', const: 0 },
    ],
    description: 'Share of the traffic; 0 drains: who is connected stays, nobody new comes.',
  });

export const MemberInput = Type.Object(
  {
    address: IpAddress(),
    protocol_port: port(),
    weight: Type.Optional(weight()),
    admin_state_up: Defaulted(Type.Boolean({ default: true })),
    backup: Defaulted(Type.Boolean({ default: false })),
    instance_id: Defaulted(Nullable(Uuid(), { default: null })),
    subnet_id: Defaulted(Nullable(Uuid(), { default: null })),
    monitor_address: Defaulted(Nullable(IpAddress(), { default: null })),
    monitor_port: Defaulted(Nullable(port(), { default: null })),
  },
  { $id: 'CreateMember' },
);
export type MemberInput = Static<typeof MemberInput>;

/** Of one pool. */
export const MAX_MEMBERS = 1000;

/** A member in a list of all that a pool shall have. */
export const MemberOfList = Type.Object(
  {
    ...MemberInput.properties,
    id: Type.Optional(
      Nullable(Uuid(), { description: 'A member of the pool that it is to be from now on, with this id.' }),
    ),
  },
  { $id: 'MemberOfList' },
);
export type MemberOfList = Static<typeof MemberOfList>;

export const MemberInputs = Type.Array(MemberOfList, { maxItems: MAX_MEMBERS });
export const ReplaceMembers = Type.Array(MemberOfList, { maxItems: MAX_MEMBERS, $id: 'ReplaceMembers' });

export const UpdateMember = Type.Object(
  {
    weight: Type.Optional(weight()),
    admin_state_up: Type.Optional(Type.Boolean()),
    backup: Type.Optional(Type.Boolean()),
    monitor_address: Type.Optional(Nullable(IpAddress())),
    monitor_port: Type.Optional(Nullable(port())),
  },
  { $id: 'UpdateMember' },
);
export type UpdateMember = Static<typeof UpdateMember>;

export const Member = Type.Object(
  {
    id: Uuid(),
    address: IpAddress(),
    protocol_port: port(),
    weight: Type.Integer({ minimum: 0, maximum: 256 }),
    admin_state_up: Type.Boolean(),
    backup: Type.Boolean(),
    operating_status: OperatingStatus(),
    provisioning_status: ProvisioningStatus(),
    subnet_id: Nullable(Uuid()),
    instance_id: Nullable(Uuid()),
    monitor_address: Nullable(IpAddress()),
    monitor_port: Nullable(port()),
    last_check: LastCheck(),
  },
  { $id: 'Member' },
);

export const MemberList = ListOf(Member, 'MemberList');

export const MemberListQuery = ListQuery({
  order_by: OrderBy(['address', 'created_at'], 'address.asc'),
});
export type MemberListQuery = Static<typeof MemberListQuery>;

export const OfPoolParams = Type.Object({ ...RegionParams.properties, pool_id: Uuid() });
export const MemberParams = Type.Object({ ...RegionParams.properties, pool_id: Uuid(), member_id: Uuid() });
