import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import { Name, Nullable, Uuid } from '../../platform/http/schemas.ts';
import { NEW_TAGS } from '../../platform/http/tags.ts';
import { FloatingIpChoice } from '../networking/floating-ips/index.ts';
import { NewInstanceVolume } from '../volumes/index.ts';

/** What a new instance is asked for with. */

type IpFamily = 'dual' | 'ipv4' | 'ipv6' | null;

interface CommonInterface {
  readonly interface_name?: string;
  readonly security_groups?: readonly { readonly id: string }[];
  /** Not for external interfaces. */
  readonly floating_ip?: FloatingIpChoice;
}

export type NewInterface = CommonInterface &
  (
    | { readonly type: 'external'; readonly ip_family?: IpFamily }
    | { readonly type: 'subnet'; readonly network_id: string; readonly subnet_id: string }
    | {
        readonly type: 'any_subnet';
        readonly network_id: string;
        readonly ip_family?: IpFamily;
        readonly ip_address?: string;
      }
    | { readonly type: 'reserved_fixed_ip'; readonly port_id: string }
  );

const kind = ($id: string, value: string, required: readonly string[], properties: object) => ({
  $id,
  type: 'object',
  required: ['type', ...required],
  properties: { type: { type: 'string', const: value }, ...properties },
});
const id = { type: 'string', format: 'uuid' };
const ip_family = { type: ['string', 'null'], enum: ['dual', 'ipv4', 'ipv6', null], default: 'ipv4' };
const groups = { type: 'array', items: { type: 'object', required: ['id'], properties: { id } } };

const common = { interface_name: { type: 'string', maxLength: 37 }, security_groups: groups };
const inside = { ...common, floating_ip: FloatingIpChoice };
const address = { type: 'string', format: 'ip-address' };

const NewInterface = Type.Unsafe<NewInterface>({
  $id: 'NewInstanceInterface',
  oneOf: [
    kind('NewExternalInterface', 'external', [], { ...common, ip_family }),
    kind('NewSubnetInterface', 'subnet', ['network_id', 'subnet_id'], {
      ...inside,
      network_id: id,
      subnet_id: id,
    }),
    kind('NewAnySubnetInterface', 'any_subnet', ['network_id'], {
      ...inside,
      network_id: id,
      ip_family,
      ip_address: address,
    }),
    kind('NewReservedIpInterface', 'reserved_fixed_ip', ['port_id'], { ...inside, port_id: id }),
  ],
  discriminator: { propertyName: 'type' },
  type: 'object',
  required: ['type'],
});

const TEMPLATE_PATTERN = worded(
  '^[a-zA-Z0-9{][a-zA-Z 0-9._\\-}{]{1,61}[a-zA-Z0-9._}]$',
  'must be a name with placeholders: {ip_octets}, {two_ip_octets} or {one_ip_octet}',
);
const MAX_USER_DATA = 65_535;
/** Of one instance: what the slots of an instance have room for. */
export const MAX_INTERFACES = 32;

export const CreateInstance = Type.Object(
  {
    name: Type.Optional(Name()),
    name_template: Type.Optional(
      Type.String({
        pattern: TEMPLATE_PATTERN,
        examples: ['web-{ip_octets}'],
        description:
          'A name that shows the last three octets of the first address for {ip_octets}, the last two for ' +
          '{two_ip_octets} and the last for {one_ip_octet}.',
      }),
    ),
    names: Type.Optional(
      Type.Array(Name(), {
        maxItems: 1,
        deprecated: true,
        description: 'The name, as older clients send it; one instance is created at a time.',
      }),
    ),
    flavor: Type.String(),
    volumes: Type.Array(NewInstanceVolume, { minItems: 1 }),
    interfaces: Type.Array(NewInterface, { minItems: 1, maxItems: MAX_INTERFACES }),
    security_groups: Type.Optional(
      Type.Array(Type.Object({ id: Uuid() }), {
        deprecated: true,
        description: 'For interfaces that name none of their own.',
      }),
    ),
    servergroup_id: Type.Optional(Uuid()),
    ssh_key_name: Type.Optional(Nullable(Type.String())),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 255, format: 'password' })),
    user_data: Type.Optional(
      Type.String({ maxLength: MAX_USER_DATA, description: 'Base64. Beside password it is ignored' }),
    ),
    ...NEW_TAGS,
    allow_app_ports: Type.Optional(
      Type.Boolean({ description: 'Accepted; only applications of a marketplace have ports of their own.' }),
    ),
    configuration: Type.Optional(
      Nullable(Type.Record(Type.String(), Type.Unknown()), {
        description: 'For applications of a marketplace, which regions here do not have.',
      }),
    ),
  },
  { $id: 'CreateInstance' },
);
export type CreateInstance = Static<typeof CreateInstance>;
