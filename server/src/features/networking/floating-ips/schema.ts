import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IpAddress,
  ListOf,
  ListQuery,
  Nullable,
  SCOPE,
  StringEnum,
  TASKS,
  TIMES,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { tagFilters } from '../../../platform/http/tag-filters.ts';
import { MetadataList, NEW_TAGS, Tag, TagsPatch } from '../../../platform/http/tags.ts';

const STATUSES = ['ACTIVE', 'DOWN', 'ERROR'] as const;

export const FloatingIp = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    floating_ip_address: Nullable(IpAddress()),
    fixed_ip_address: Nullable(IpAddress()),
    port_id: Nullable(Uuid()),
    router_id: Nullable(Uuid({ description: 'Id of the router between; null: there is none.' })),
    status: Nullable(StringEnum(STATUSES)),
    tags: Type.Array(Tag),
    metadata: MetadataList(),
    ...TASKS,
    ...TIMES,
  },
  { $id: 'FloatingIp' },
);
export type FloatingIp = Static<typeof FloatingIp>;

const choices = [
  Type.Object({ source: Type.Literal('new') }, { $id: 'NewFloatingIpChoice' }),
  Type.Object(
    { source: Type.Literal('existing'), existing_floating_id: Uuid() },
    { $id: 'ExistingFloatingIpChoice' },
  ),
] as const;
/** The floating IP that something new gets: a new one, or one that there is. */
export type FloatingIpChoice = Static<(typeof choices)[number]>;
export const FloatingIpChoice = Type.Unsafe<FloatingIpChoice>({
  $id: 'FloatingIpChoice',
  oneOf: choices,
  discriminator: { propertyName: 'source' },
  type: 'object',
  required: ['source'],
});

/** A list shows what carries each floating IP too. */
export function floatingIpList(loadBalancer: TSchema, instance: TSchema) {
  const detailed = Type.Object(
    {
      ...FloatingIp.properties,
      loadbalancer: Type.Union([loadBalancer, Type.Null()]),
      instance: Type.Union([instance, Type.Null()]),
    },
    { $id: 'FloatingIpDetailed' },
  );
  return ListOf(detailed, 'FloatingIpList');
}

export const FloatingIpListQuery = ListQuery({
  port_ids: Type.Optional(Type.Array(Uuid())),
  status: Type.Optional(StringEnum(STATUSES)),
  ...tagFilters('floating IPs'),
});
export type FloatingIpListQuery = Static<typeof FloatingIpListQuery>;

const Ipv4Address = () => Type.String({ format: 'ipv4' });
export const Ipv4 = () => Defaulted(Nullable(Ipv4Address(), { default: null }));

export const CreateFloatingIp = Type.Object(
  {
    port_id: Defaulted(Nullable(Uuid(), { default: null })),
    fixed_ip_address: Ipv4(),
    ...NEW_TAGS,
  },
  { $id: 'CreateFloatingIp' },
);
export type CreateFloatingIp = Static<typeof CreateFloatingIp>;

export const UpdateFloatingIp = Type.Object(
  {
    port_id: Type.Optional(Nullable(Uuid())),
    fixed_ip_address: Type.Optional(Nullable(Ipv4Address())),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'UpdateFloatingIp' },
);
export type UpdateFloatingIp = Static<typeof UpdateFloatingIp>;
