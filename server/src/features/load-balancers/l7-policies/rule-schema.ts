import { type Static, Type } from '@sinclair/typebox';
import { ListOf, Nullable, SCOPE, StringEnum, Uuid } from '../../../platform/http/schemas.ts';
import { OperatingStatus, ProvisioningStatus } from '../schema-parts.ts';
import { PolicyParams } from './schema.ts';

/** L7 rules on the wire. */

export const RULE_TYPES = [
  'COOKIE',
  'FILE_TYPE',
  'HEADER',
  'HOST_NAME',
  'PATH',
  'SSL_CONN_HAS_CERT',
  'SSL_DN_FIELD',
  'SSL_VERIFY_RESULT',
] as const;
export type RuleType = (typeof RULE_TYPES)[number];

export const COMPARE_TYPES = ['CONTAINS', 'ENDS_WITH', 'EQUAL_TO', 'REGEX', 'STARTS_WITH'] as const;
export type CompareType = (typeof COMPARE_TYPES)[number];

const type = () => StringEnum(RULE_TYPES);
const compareType = () => StringEnum(COMPARE_TYPES);
const value = () => Type.String({ minLength: 1, maxLength: 255 });
const more = () => ({
  key: Type.Optional(Type.String({ maxLength: 255 })),
  invert: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(Type.String())),
});

export const CreateRule = Type.Object(
  { type: type(), compare_type: compareType(), value: value(), ...more() },
  { $id: 'CreateL7Rule' },
);
export type CreateRule = Static<typeof CreateRule>;

export const ReplaceRule = Type.Object(
  {
    type: Type.Optional(type()),
    compare_type: Type.Optional(compareType()),
    value: Type.Optional(value()),
    ...more(),
  },
  { $id: 'ReplaceL7Rule' },
);
export type ReplaceRule = Static<typeof ReplaceRule>;

export const Rule = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    type: type(),
    compare_type: compareType(),
    key: Nullable(Type.String({ maxLength: 255 })),
    value: Type.String(),
    invert: Type.Boolean(),
    tags: Nullable(Type.Array(Type.String())),
    operating_status: OperatingStatus(),
    provisioning_status: ProvisioningStatus(),
    task_id: Nullable(Uuid()),
  },
  { $id: 'L7Rule' },
);
export const RuleList = ListOf(Rule, 'L7RuleList');

export const RuleParams = Type.Object({ ...PolicyParams.properties, l7rule_id: Uuid() });
