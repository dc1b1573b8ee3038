import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IpNetwork,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  SCOPE,
  StringEnum,
  TIMES,
  Uuid,
} from '../../platform/http/schemas.ts';
import { tagFilters } from '../../platform/http/tag-filters.ts';
import { MetadataList, NEW_TAGS, Tag, TagsPatch } from '../../platform/http/tags.ts';
import { DIRECTIONS, ETHERTYPES, MAX_RULES, PROTOCOLS } from './model.ts';

const Port = () => Type.Integer({ minimum: 0, maximum: 65_535 });

export const SecurityGroupRule = Type.Object(
  {
    id: Uuid(),
    security_group_id: Uuid(),
    direction: StringEnum(DIRECTIONS),
    ethertype: Nullable(StringEnum(ETHERTYPES)),
    protocol: Nullable(StringEnum(['any', ...PROTOCOLS])),
    port_range_min: Nullable(Port()),
    port_range_max: Nullable(Port()),
    remote_group_id: Nullable(Uuid()),
    remote_ip_prefix: Nullable(IpNetwork()),
    description: Nullable(Type.String()),
    revision_number: Type.Integer(),
    ...TIMES,
  },
  { $id: 'SecurityGroupRule' },
);

export const SecurityGroup = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    name: Name(),
    description: Type.String(),
    security_group_rules: Type.Optional(Type.Array(SecurityGroupRule)),
    revision_number: Type.Integer(),
    tags_v2: Type.Array(Tag),
    metadata: MetadataList(),
    ...TIMES,
  },
  { $id: 'SecurityGroup' },
);
export const SecurityGroupList = ListOf(SecurityGroup, 'SecurityGroupList');

export const RuleInput = Type.Object(
  {
    direction: StringEnum(DIRECTIONS),
    ethertype: Type.Optional(StringEnum(ETHERTYPES, { default: 'IPv4' })),
    protocol: Type.Optional(
      Nullable(StringEnum(['any', ...PROTOCOLS]), { default: null, description: 'null and any: every one' }),
    ),
    port_range_min: Type.Optional(Nullable(Port(), { default: null })),
    port_range_max: Type.Optional(Nullable(Port(), { default: null })),
    remote_group_id: Type.Optional(Uuid()),
    remote_ip_prefix: Type.Optional(Nullable(IpNetwork(), { default: null })),
    description: Type.Optional(Type.String({ maxLength: 255, default: '' })),
  },
  { $id: 'CreateSecurityGroupRule' },
);
export type RuleInput = Static<typeof RuleInput>;

const rules = (description: string) =>
  Type.Optional(Type.Array(RuleInput, { maxItems: MAX_RULES, description }));

export const CreateSecurityGroup = Type.Object(
  {
    name: Name(),
    description: Defaulted(Type.String({ default: '' })),
    rules: rules('Without a rule for egress everything goes out; without one for ingress nothing comes in.'),
    ...NEW_TAGS,
  },
  { $id: 'CreateSecurityGroup' },
);
export type CreateSecurityGroup = Static<typeof CreateSecurityGroup>;

export const UpdateSecurityGroup = Type.Object(
  {
    name: Type.Optional(Name()),
    description: Type.Optional(Type.String()),
    rules: rules('All rules that it has from now on.'),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'UpdateSecurityGroup' },
);
export type UpdateSecurityGroup = Static<typeof UpdateSecurityGroup>;

export const CopySecurityGroup = Type.Object({ name: Name() }, { $id: 'CopySecurityGroup' });

export const SecurityGroupListQuery = ListQuery(
  { name: Type.Optional(Type.String()), name__contains: namePart(), ...tagFilters('security groups') },
  10,
);
export type SecurityGroupListQuery = Static<typeof SecurityGroupListQuery>;
