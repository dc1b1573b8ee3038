import { type Static, Type } from '@sinclair/typebox';
import { ROLES } from '../../platform/auth/roles.ts';
import { DateTime, Key, Nullable, OffsetTime, StringEnum } from '../../platform/http/schemas.ts';

export const ROLE_NAMES = [
  'Users',
  'Administrators',
  'Engineers',
  'Purge and Prefetch only (API)',
  'Purge and Prefetch only (API+Web)',
] as const;
const SERVICES = ['CDN', 'STORAGE', 'STREAMING', 'DNS', 'DDOS', 'CLOUD'] as const;

const email = () => Type.String({ format: 'email' });

const ServiceStatus = Type.Object({
  status: StringEnum(['new', 'trial', 'trialend', 'active', 'paused', 'activating', 'deleted']),
  enabled: Type.Boolean(),
});

const byService = <T extends ReturnType<typeof Type.Object> | ReturnType<typeof Type.Array>>(schema: T) =>
  Type.Object({
    CDN: schema,
    CLOUD: schema,
    DDOS: schema,
    DNS: schema,
    STORAGE: schema,
    STREAMING: schema,
  });

const feature = (idName: 'paid_feature_id' | 'free_feature_id') =>
  Type.Array(
    Type.Object({
      feature_id: Type.Integer(),
      service: StringEnum(SERVICES),
      name: Type.String(),
      create_date: Type.String(),
      [idName]: Type.Integer(),
    }),
  );

export const User = Type.Object(
  {
    id: Type.Integer(),
    email: email(),
    name: Nullable(Type.String()),
    lang: StringEnum(['de', 'en', 'ru', 'zh', 'az']),
    phone: Nullable(Type.String()),
    company: Type.String(),
    reseller: Type.Integer(),
    client: Type.Number(),
    deleted: Type.Boolean(),
    groups: Type.Array(Type.Object({ id: Type.Integer(), name: StringEnum(ROLE_NAMES) })),
    activated: Type.Boolean(),
    sso_auth: Type.Boolean(),
    two_fa: Type.Boolean(),
    auth_types: Type.Array(StringEnum(['password', 'sso', 'github', 'google-oauth2'])),
  },
  { $id: 'User' },
);
export type User = Static<typeof User>;

export const Client = Type.Object(
  {
    id: Type.Integer(),
    name: Nullable(Type.String()),
    email: email(),
    phone: Nullable(Type.String()),
    status: StringEnum([
      'new',
      'trial',
      'trialend',
      'active',
      'integration',
      'paused',
      'preparation',
      'ready',
    ]),
    companyName: Type.String(),
    website: Type.String(),
    currentUser: Type.Integer(),
    users: Type.Array(User),
    capabilities: Type.Array(StringEnum(SERVICES)),
    serviceStatuses: byService(ServiceStatus),
    paidFeatures: byService(feature('paid_feature_id')),
    freeFeatures: byService(feature('free_feature_id')),
    entryBaseDomain: Nullable(Type.String()),
    signup_process: Nullable(StringEnum(['sign_up_full', 'sign_up_simple'])),
    deleted: Type.Boolean(),
    bill_type: Type.String(),
    custom_id: Nullable(Type.String()),
    country_code: Type.String(),
    is_test: Type.Boolean(),
    has_active_admin: Type.Boolean(),
  },
  { $id: 'ClientAccount' },
);

const Role = Type.Object({ id: Type.Integer(), name: StringEnum(ROLE_NAMES) });

const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  exp_date: Nullable(OffsetTime()),
  created: OffsetTime(),
  deleted: Type.Boolean(),
  expired: Type.Boolean(),
  last_usage: Type.String(),
  client_user: Type.Object({
    client_id: Type.Integer(),
    user_id: Type.Integer(),
    user_name: Type.String(),
    user_email: Type.String(),
    deleted: Type.Boolean(),
    role: Role,
  }),
};

export const ApiToken = Type.Object(tokenFields, { $id: 'ApiToken' });
export type ApiToken = Static<typeof ApiToken>;
export const ApiTokenList = Type.Array(ApiToken, { $id: 'ApiTokenList' });
export const CreatedApiToken = Type.Object(
  { ...tokenFields, token: Type.String({ description: 'Shown this once' }) },
  { $id: 'CreatedApiToken' },
);

export const CreateApiToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 1000 })),
    exp_date: Nullable(DateTime()),
    client_user: Type.Object({
      role: Type.Optional(
        Type.Object({ id: Type.Optional(Type.Integer()), name: Type.Optional(StringEnum(ROLE_NAMES)) }),
      ),
    }),
  },
  { $id: 'CreateApiToken' },
);
export type CreateApiToken = Static<typeof CreateApiToken>;

export const ClientParams = Type.Object({ clientId: Key() });
export const TokenParams = Type.Object({ clientId: Key(), tokenId: Key() });
export const TokenListQuery = Type.Object({
  role: Type.Optional(Type.String()),
  issued_by: Type.Optional(Key()),
  not_issued_by: Type.Optional(Key()),
  deleted: Type.Optional(Type.Boolean()),
});
export type TokenListQuery = Static<typeof TokenListQuery>;

export { ROLES };
