import { type Static, Type } from '@sinclair/typebox';
import {
  ColonTime,
  DateTime,
  ListOf,
  ListQuery,
  Nullable,
  namePart,
  RegionParams,
  StringEnum,
  Uuid,
} from '../../platform/http/schemas.ts';

/** Characters; a chain of some ten certificates, or a list of some thousand revocations. */
export const LONGEST_PEM = 65_536;
const hidden = (description: string) =>
  Type.String({ format: 'password', writeOnly: true, maxLength: LONGEST_PEM, description });

export const SecretPayload = Type.Object({
  certificate: hidden('The certificate in PEM; without a private key: certificates of authorities, or a CRL'),
  certificate_chain: hidden('Certificates in PEM, each followed by the one that issued it; may be empty'),
  private_key: hidden('The private key in PEM, without a passphrase; empty for authorities and CRLs'),
});
export type SecretPayload = Static<typeof SecretPayload>;

export const CreateSecret = Type.Object(
  {
    name: Type.String(),
    payload: SecretPayload,
    expiration: Type.Optional(Nullable(DateTime(), { default: null })),
  },
  { $id: 'CreateSecret' },
);
export type CreateSecret = Static<typeof CreateSecret>;

const text = () => Nullable(Type.String(), { default: null });
const time = () => Nullable(ColonTime(), { default: null });

export const SECRET_TYPES = [
  'certificate',
  'opaque',
  'passphrase',
  'private',
  'public',
  'symmetric',
] as const;

export const Secret = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    secret_type: StringEnum(SECRET_TYPES),
    status: Type.String(),
    algorithm: text(),
    bit_length: Nullable(Type.Integer(), { default: null }),
    mode: text(),
    content_types: Nullable(Type.Record(Type.String(), Type.String()), { default: null }),
    created: time(),
    expiration: time(),
  },
  { $id: 'Secret' },
);
export const SecretList = ListOf(Secret, 'SecretList');

export const SecretParams = Type.Object({ ...RegionParams.properties, secret_id: Uuid() });
export const SecretListQuery = ListQuery({ name__contains: namePart() });
export type SecretListQuery = Static<typeof SecretListQuery>;
