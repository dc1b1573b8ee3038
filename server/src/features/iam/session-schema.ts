import { type Static, Type } from '@sinclair/typebox';
import { ROLES } from '../../platform/auth/roles.ts';
import { DateTime, ListOf, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { PasskeyAssertion } from './passkey-schema.ts';

export const oneTimePassword = () =>
  Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The code of an authenticator app, or a recovery code, of a person who has a second factor',
    }),
  );

export const OpenSession = Type.Object(
  {
    username: Type.String({ maxLength: 254, description: 'The e-mail address' }),
    password: Type.String({ maxLength: 1000 }),
    one_time_password: oneTimePassword(),
  },
  { $id: 'OpenSession' },
);

export const SessionLink = Type.Object(
  { token: Type.String({ description: 'Shown once.' }) },
  { $id: 'SessionLink' },
);

export const ConfirmSession = Type.Object(
  {
    password: Type.Optional(
      Type.String({ maxLength: 1000, description: 'That of the person who is signed in' }),
    ),
    passkey: Type.Optional(PasskeyAssertion),
  },
  { $id: 'ConfirmSession', description: 'The password, or a passkey' },
);
export type ConfirmSession = Static<typeof ConfirmSession>;

export const EndSessionsQuery = Type.Object({
  end_tokens: Type.Optional(
    Type.Boolean({
      description:
        'The API tokens that the person has made end as well, in every client; with an API token those that were ' +
        'made with it.',
    }),
  ),
});

export const SessionInfo = Type.Object(
  {
    user_id: Type.Integer(),
    client_id: Type.Integer(),
    email: Type.String(),
    role: StringEnum(ROLES, { description: 'What the person may do in this client' }),
    project_roles: Type.Array(
      Type.Object({ project_id: Type.Integer(), role: StringEnum(ROLES) }, { $id: 'ProjectRole' }),
      { description: 'What the person may do in single projects, where that is more' },
    ),
    must_add_second_factor: Type.Boolean({
      description: 'Whether everybody needs a second factor and the person has none: other calls are refused',
    }),
    csrf_token: Nullable(
      Type.String({ description: 'To send with writes as X-CSRF-Token; null where there is no cookie' }),
    ),
  },
  { $id: 'SessionInfo' },
);

export const SessionParams = Type.Object({ session_id: Uuid() });

export const SessionView = Type.Object(
  {
    id: Uuid(),
    client_id: Type.Integer(),
    ip_address: Type.String({ description: 'Where it was opened from' }),
    user_agent: Type.String(),
    created_at: DateTime({ description: 'When the person signed in' }),
    last_used_at: DateTime({ description: 'To the minute' }),
    expires_at: DateTime({ description: 'When it ends unless it is used or refreshed' }),
    is_current: Type.Boolean({ description: 'Whether it is the one of this request' }),
  },
  { $id: 'Session' },
);
export const SessionList = ListOf(SessionView, 'SessionList');
