import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IntegerEnum,
  IpAddress,
  IpNetwork,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  OrderBy,
  SCOPE,
  TIMES,
  Uuid,
} from '../../../../platform/http/schemas.ts';
import { tagFilters } from '../../../../platform/http/tag-filters.ts';
import { MetadataList, NEW_TAGS, Tag, TagsPatch } from '../../../../platform/http/tags.ts';
import { ownedBy } from '../schema.ts';

const IpVersion = () => IntegerEnum([4, 6]);
const HostRoutes = () => Type.Array(Type.Object({ destination: IpNetwork(), nexthop: IpAddress() }));
const NameServers = () => Type.Array(IpAddress());
const MAX_ENTRIES = 20;
const HostRoutesInput = () =>
  Defaulted(
    Nullable(
      Type.Array(Type.Object({ destination: IpNetwork(), nexthop: IpAddress() }), { maxItems: MAX_ENTRIES }),
      { default: null },
    ),
  );
const NameServersInput = () =>
  Defaulted(Nullable(Type.Array(IpAddress(), { maxItems: MAX_ENTRIES }), { default: null }));

export const Subnet = Type.Object(
  {
    id: Uuid(),
    network_id: Uuid(),
    ...SCOPE,
    name: Name(),
    cidr: IpNetwork(),
    ip_version: IpVersion(),
    gateway_ip: Nullable(IpAddress(), { default: null }),
    enable_dhcp: Type.Boolean(),
    dns_nameservers: NameServers(),
    host_routes: HostRoutes(),
    has_router: Type.Boolean({ default: false, deprecated: true, description: 'Always false.' }),
    total_ips: Nullable(Type.Integer(), { default: null }),
    available_ips: Nullable(Type.Integer(), { default: null }),
    tags: Type.Array(Tag),
    metadata: MetadataList(),
    task_id: Nullable(Uuid(), { default: null }),
    creator_task_id: Nullable(Uuid(), { default: null }),
    ...TIMES,
  },
  { $id: 'Subnet' },
);
export const SubnetList = ListOf(Subnet, 'SubnetList');

export const CreateSubnet = Type.Object(
  {
    name: Name(),
    network_id: Uuid(),
    cidr: IpNetwork(),
    ip_version: Type.Optional(IpVersion()),
    gateway_ip: Type.Optional(Nullable(IpAddress())),
    enable_dhcp: Defaulted(Type.Boolean({ default: true })),
    dns_nameservers: NameServersInput(),
    host_routes: HostRoutesInput(),
    connect_to_network_router: Defaulted(
      Type.Boolean({
        default: true,
        description: "Attaches it to the network's own router, if there is one.",
      }),
    ),
    router_id_to_connect: Defaulted(Nullable(Uuid(), { default: null })),
    ...NEW_TAGS,
  },
  { $id: 'CreateSubnet' },
);
export type CreateSubnet = Static<typeof CreateSubnet>;

export const UpdateSubnet = Type.Object(
  {
    name: Type.Optional(Nullable(Name())),
    gateway_ip: Type.Optional(Nullable(IpAddress())),
    enable_dhcp: Type.Optional(Type.Boolean()),
    dns_nameservers: Type.Optional(Nullable(Type.Array(IpAddress(), { maxItems: MAX_ENTRIES }))),
    host_routes: Type.Optional(
      Nullable(
        Type.Array(Type.Object({ destination: IpNetwork(), nexthop: IpAddress() }), {
          maxItems: MAX_ENTRIES,
        }),
      ),
    ),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'UpdateSubnet' },
);
export type UpdateSubnet = Static<typeof UpdateSubnet>;

export const SUBNET_ORDERS = [
  'available_ips',
  'cidr',
  'created_at',
  'name',
  'total_ips',
  'updated_at',
] as const;
export type SubnetOrderField = (typeof SUBNET_ORDERS)[number];

export const SubnetListQuery = ListQuery({
  network_id: Type.Optional(Uuid()),
  name__contains: namePart(),
  owned_by: ownedBy(),
  order_by: OrderBy(SUBNET_ORDERS, 'cidr.asc'),
  ...tagFilters('subnets'),
});
export type SubnetListQuery = Static<typeof SubnetListQuery>;
