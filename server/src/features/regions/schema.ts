import { Type } from '@sinclair/typebox';
import {
  Defaulted,
  ListOf,
  ListQuery,
  Nullable,
  OrderBy,
  StringEnum,
  ZuluTime,
} from '../../platform/http/schemas.ts';

export const REGION_STATES = [
  'ACTIVE',
  'DELETED',
  'DELETING',
  'DELETION_FAILED',
  'INACTIVE',
  'MAINTENANCE',
  'NEW',
] as const;

const coordinate = () => Type.String({ pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$' });

export const Region = Type.Object(
  {
    id: Type.Integer(),
    display_name: Type.String(),
    slug: Type.String(),
    state: StringEnum(REGION_STATES),
    access_level: StringEnum(['core', 'edge']),
    zone: Nullable(StringEnum(['AMERICAS', 'APAC', 'EMEA', 'RUSSIA_AND_CIS'])),
    country: Type.String({ pattern: '^\\w{2}$' }),
    coordinates: Nullable(Type.Object({ latitude: coordinate(), longitude: coordinate() })),
    has_kvm: Type.Boolean(),
    has_baremetal: Type.Boolean(),
    has_basic_vm: Type.Boolean(),
    has_k8s: Type.Boolean(),
    has_dbaas: Type.Boolean(),
    has_ddos: Type.Boolean(),
    has_sfs: Type.Boolean(),
    has_ai: Type.Boolean(),
    has_ai_gpu: Type.Boolean(),
    available_volume_types: Type.Array(Type.String()),
    file_share_types: Nullable(Type.Array(StringEnum(['ddn', 'standard', 'vast']))),
    endpoint_type: StringEnum(['admin', 'internal', 'public']),
    external_network_id: Nullable(Type.String()),
    keystone_id: Type.Integer(),
    keystone_name: Type.String(),
    metrics_database_id: Nullable(Type.Integer()),
    vlan_physical_network: Type.String(),
    ddos_endpoint_id: Nullable(Type.Integer(), { default: null }),
    task_id: Nullable(Type.String()),
    created_at: ZuluTime(),
    created_on: ZuluTime(),
  },
  { $id: 'Region' },
);

export const RegionList = ListOf(Region, 'RegionList');

/** `show_volume_types` is accepted for older clients; the types are always shown. */
export const RegionQuery = Type.Object({
  show_volume_types: Defaulted(Type.Boolean({ default: false })),
});

export const RegionListQuery = ListQuery({
  display_name: Type.Optional(Type.String()),
  order_by: OrderBy(['created_at', 'display_name'], 'created_at.desc'),
  product: Type.Optional(StringEnum(['containers', 'inference'])),
  show_volume_types: Defaulted(Type.Boolean({ default: false })),
});

export const LogDestinationQuery = ListQuery({});
