import { type Static, Type } from '@sinclair/typebox';
import { Defaulted, Nullable, StringEnum, Uuid } from '../../../platform/http/schemas.ts';
import { exceededSchema, REGIONAL_NAMES } from '../../quotas/index.ts';

/** Which sizes suit, and whether quotas suffice. */

const SOURCES = ['apptemplate', 'existing-volume', 'image', 'new-volume', 'snapshot'] as const;
const VOLUME_TYPES = ['cold', 'ssd_hiiops', 'ssd_local', 'ssd_lowlatency', 'standard', 'ultra'] as const;
const nullable = () => Type.Optional(Nullable(Type.String(), { default: null }));
const typeName = () => Type.Optional(Nullable(StringEnum(VOLUME_TYPES), { default: null }));

export const PricesQuery = Type.Object({
  include_prices: Defaulted(Type.Boolean({ default: false })),
});

const SizedVolume = Type.Object({
  source: StringEnum(SOURCES),
  image_id: nullable(),
  volume_id: nullable(),
  snapshot_id: nullable(),
  apptemplate_id: nullable(),
  name: nullable(),
  size: Type.Optional(Nullable(Type.Integer({ minimum: 1 }), { default: null })),
  boot_index: Type.Optional(Nullable(Type.Integer(), { default: null })),
  type_name: typeName(),
});
export const AvailableFlavors = Type.Object(
  { volumes: Type.Array(SizedVolume, { minItems: 1 }) },
  { $id: 'AvailableFlavors' },
);
export type AvailableFlavors = Static<typeof AvailableFlavors>;

const CheckedInterface = Type.Object({
  type: StringEnum(['any_subnet', 'external', 'reserved_fixed_ip', 'subnet']),
  ip_family: Type.Optional(Nullable(StringEnum(['dual', 'ipv4', 'ipv6']), { default: null })),
  network_id: Type.Optional(Uuid()),
  subnet_id: Type.Optional(Uuid()),
  port_id: Type.Optional(Uuid()),
  floating_ip: Type.Optional(
    Type.Object({
      source: StringEnum(['existing', 'new']),
      existing_floating_id: Type.Optional(Uuid()),
    }),
  ),
});
const CheckedVolume = Type.Object({
  source: StringEnum(SOURCES),
  size: Type.Optional(Nullable(Type.Integer({ minimum: 0 }), { default: null })),
  snapshot_id: nullable(),
  type_name: typeName(),
});
export const CheckInstanceLimits = Type.Object(
  {
    flavor: Type.Optional(Type.String()),
    names: Type.Optional(Type.Array(Type.String())),
    name_templates: Type.Optional(Type.Array(Nullable(Type.String()))),
    volumes: Type.Optional(Type.Array(CheckedVolume)),
    interfaces: Type.Optional(Type.Array(CheckedInterface)),
  },
  { $id: 'CheckInstanceLimits' },
);
export type CheckInstanceLimits = Static<typeof CheckInstanceLimits>;

/** Empty when all suffice. */
export const ExceededLimits = exceededSchema(REGIONAL_NAMES, 'InstanceExceededLimits');
