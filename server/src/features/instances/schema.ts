import { type Static, Type } from '@sinclair/typebox';
import {
  DateTime,
  Defaulted,
  ListOf,
  ListQuery,
  Nullable,
  OrderBy,
  SCOPE,
  StringEnum,
  Uuid,
  ZuluTime,
} from '../../platform/http/schemas.ts';
import { LONGEST_TAG_FILTER } from '../../platform/http/tag-filters.ts';
import { NameAndTags, Tag } from '../../platform/http/tags.ts';
import { InstanceDdosProfile } from './schema-ddos.ts';

const INSTANCE_STATUSES = [
  'ACTIVE',
  'BUILD',
  'DELETED',
  'ERROR',
  'HARD_REBOOT',
  'MIGRATING',
  'PASSWORD',
  'PAUSED',
  'REBOOT',
  'REBUILD',
  'RESCUE',
  'RESIZE',
  'REVERT_RESIZE',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'SHUTOFF',
  'SOFT_DELETED',
  'SUSPENDED',
  'UNKNOWN',
  'VERIFY_RESIZE',
] as const;

/** Those that a list can be asked for. */
const LISTED_STATUSES = INSTANCE_STATUSES.filter(
  (status) => !['DELETED', 'PASSWORD', 'RESCUE', 'UNKNOWN'].includes(status),
);

const VM_STATES = [
  'active',
  'building',
  'deleted',
  'error',
  'paused',
  'rescued',
  'resized',
  'shelved',
  'shelved_offloaded',
  'soft-deleted',
  'stopped',
  'suspended',
] as const;

const addresses = [
  Type.Object({ addr: Type.String(), type: Type.Literal('floating') }, { $id: 'InstanceFloatingAddress' }),
  Type.Object(
    {
      addr: Type.String(),
      type: Type.Literal('fixed'),
      interface_name: Nullable(Type.String()),
      subnet_id: Type.Optional(Type.String()),
      subnet_name: Type.Optional(Type.String()),
    },
    { $id: 'InstanceFixedAddress' },
  ),
] as const;
const Address = Type.Unsafe<Static<(typeof addresses)[number]>>({
  $id: 'InstanceAddress',
  oneOf: addresses,
  discriminator: { propertyName: 'type' },
});

const flavor = {
  flavor_id: Type.String(),
  flavor_name: Type.String(),
  architecture: Type.String(),
  os_type: Type.String(),
  vcpus: Type.Integer(),
  ram: Type.Integer(),
};
const text = () => Type.String();
/** Of bare metal and of machines: what one of them lacks is absent. */
const InstanceFlavor = Type.Object(
  {
    ...flavor,
    resource_class: Type.Optional(text()),
    hardware_description: Type.Object({
      ram: text(),
      vcpus: Type.Optional(text()),
      cpu: Type.Optional(text()),
      disk: Type.Optional(text()),
      gpu: Type.Optional(text()),
      license: Type.Optional(text()),
      network: Type.Optional(text()),
    }),
  },
  { $id: 'InstanceFlavor' },
);

const BlackholePort = Type.Object({
  AlarmEnd: DateTime(),
  AlarmStart: DateTime(),
  AlarmState: StringEnum(['ALARM', 'CLEAR', 'MANUAL_CLEAR', 'MANUAL_START']),
  AlertDuration: Type.String(),
  DestinationIP: Type.String(),
  ID: Type.Integer(),
});

export const Instance = Type.Object(
  {
    id: Uuid(),
    instance_id: Uuid(),
    name: Type.String(),
    instance_name: Type.String(),
    instance_description: Nullable(Type.String()),
    ...SCOPE,
    status: StringEnum(INSTANCE_STATUSES),
    vm_state: StringEnum(VM_STATES),
    task_state: Nullable(Type.String()),
    flavor: InstanceFlavor,
    addresses: Type.Record(Type.String(), Type.Array(Address)),
    fixed_ip_assignments: Nullable(
      Type.Array(
        Type.Object({ ip_address: Type.String(), subnet_id: Type.String(), external: Type.Boolean() }),
      ),
    ),
    security_groups: Type.Array(Type.Object({ name: Type.String() })),
    ssh_key_name: Nullable(Type.String()),
    volumes: Type.Array(Type.Object({ id: Type.String(), delete_on_termination: Type.Boolean() })),
    tags: Type.Array(Tag),
    metadata: Type.Record(Type.String(), Type.String()),
    metadata_detailed: Type.Array(Tag),
    blackhole_ports: Type.Array(BlackholePort),
    ddos_profile: Nullable(InstanceDdosProfile),
    instance_isolation: Nullable(
      Type.Object({ reason: Type.Optional(Nullable(Type.String(), { default: null })) }),
    ),
    creator_task_id: Nullable(Type.String()),
    task_id: Nullable(Type.String()),
    created_at: ZuluTime(),
    instance_created: ZuluTime(),
  },
  { $id: 'Instance' },
);
export const InstanceList = ListOf(Instance, 'InstanceList');

const flag = (options = {}) => Type.Optional(Type.Boolean(options));
const flagOr = (fallback: boolean) => Defaulted(Type.Boolean({ default: fallback }));
const word = (options = {}) => Type.Optional(Type.String(options));

export const InstanceListQuery = ListQuery({
  name: word(),
  uuid: word({ maxLength: 36 }),
  ip: word(),
  status: Type.Optional(StringEnum(LISTED_STATUSES)),
  flavor_id: word(),
  flavor_prefix: word(),
  exclude_flavor_prefix: word(),
  exclude_secgroup: word(),
  available_floating: flag(),
  only_with_fixed_external_ip: flag(),
  only_isolated: flagOr(false),
  include_k8s: flagOr(true),
  include_baremetal: flag({
    description: 'There are no bare metal servers here, so that it changes nothing.',
  }),
  include_ai: flag({ description: 'There are no GPU clusters here, so that it changes nothing.' }),
  with_ddos: flagOr(false),
  with_interfaces_name: flagOr(false),
  profile_name: word(),
  protection_status: Type.Optional(StringEnum(['Active', 'Queued', 'Error'])),
  type_ddos_profile: Type.Optional(StringEnum(['basic', 'advanced'])),
  'changes-since': Type.Optional(DateTime()),
  'changes-before': Type.Optional(DateTime()),
  tag_key_value: word({ maxLength: LONGEST_TAG_FILTER }),
  metadata_kv: word({
    maxLength: LONGEST_TAG_FILTER,
    deprecated: true,
    description: 'What older clients call tag_key_value.',
  }),
  tag_value: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }))),
  order_by: OrderBy(['created', 'name', 'status'], 'created.desc'),
});
export type InstanceListQuery = Static<typeof InstanceListQuery>;

export const UpdateInstance = NameAndTags('UpdateInstance');
export type UpdateInstance = Static<typeof UpdateInstance>;

const ids = (what: string) => Type.Optional(Type.String({ description: `Ids with commas between: ${what}` }));

export const DeleteInstanceQuery = Type.Object({
  volumes: ids(
    'volumes that are deleted too; others are detached, but for those that go with their instance',
  ),
  delete_floatings: Defaulted(
    Type.Boolean({ default: false, description: 'Delete every floating IP that leads to it.' }),
  ),
  floatings: ids('floating IPs that are deleted too; others are unassigned'),
  reserved_fixed_ips: ids('ports of reserved fixed IPs that are deleted too; others stay reserved'),
});
export type DeleteInstanceQuery = Static<typeof DeleteInstanceQuery>;
