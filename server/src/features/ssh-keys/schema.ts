import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  Key,
  ListOf,
  Name,
  Nullable,
  namePart,
  OrderBy,
  offsetParameter,
  StringEnum,
  Uuid,
  ZuluTime,
} from '../../platform/http/schemas.ts';

const fields = {
  id: Uuid(),
  name: Type.String(),
  public_key: Type.String(),
  fingerprint: Type.String(),
  shared_in_project: Type.Boolean(),
  state: StringEnum(['ACTIVE', 'DELETING']),
  project_id: Type.Integer(),
  created_at: ZuluTime(),
};

export const SshKey = Type.Object(fields, { $id: 'SshKey' });
/** The answer to a creation: the only time that a private key made here is shown. */
export const CreatedSshKey = Type.Object(
  { ...fields, private_key: Nullable(Type.String()) },
  { $id: 'CreatedSshKey' },
);
export const SshKeyList = ListOf(SshKey, 'SshKeyList');

export const CreateSshKey = Type.Object(
  {
    name: Name({ minLength: 1, maxLength: 255 }),
    public_key: Type.Optional(Type.String({ maxLength: 16_384 })),
    shared_in_project: Defaulted(Type.Boolean({ default: true })),
  },
  { $id: 'CreateSshKey' },
);
export type CreateSshKey = Static<typeof CreateSshKey>;

export const ShareSshKey = Type.Object({ shared_in_project: Type.Boolean() }, { $id: 'ShareSshKey' });

export const SshKeyParams = Type.Object({ project_id: Key(), ssh_key_id: Uuid() });

export const SshKeyListQuery = Type.Object({
  limit: Defaulted(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
  offset: offsetParameter(),
  name: Type.Optional(Type.String()),
  name__contains: namePart(),
  order_by: OrderBy(['created_at', 'name'], 'created_at.desc'),
});
export type SshKeyListQuery = Static<typeof SshKeyListQuery>;

/** Of key pairs, as older clients call them. */
export const KeyPairQuery = Type.Object({
  project_id: Defaulted(Nullable(Key(), { default: null })),
  user_id: Defaulted(Nullable(Key(), { default: null })),
});
export type KeyPairQuery = Static<typeof KeyPairQuery>;
