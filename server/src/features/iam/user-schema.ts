import { type Static, Type } from '@sinclair/typebox';
import { Key, ListQuery, Nullable, OffsetTime, StringEnum } from '../../platform/http/schemas.ts';
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from './password-rules.ts';
import { ROLE_NAMES, User } from './schema.ts';
import { oneTimePassword } from './session-schema.ts';

const PASSWORD_RULE =
  `${SHORTEST_PASSWORD} characters or more, such as several words; none of the passwords that are guessed first, ` +
  "and not the person's e-mail address";
export const LANGS = ['de', 'en', 'ru', 'zh', 'az'] as const;
const email = () => Type.String({ format: 'email' });
const text = () => Type.String({ maxLength: 255 });
/** Long enough to matter, short enough not to be a way to keep the server busy. */
export const newPassword = () =>
  Type.String({ minLength: SHORTEST_PASSWORD, maxLength: LONGEST_PASSWORD, description: PASSWORD_RULE });
const password = () => Type.String({ maxLength: 1000 });

export const Login = Type.Object(
  {
    username: Type.String({ maxLength: 254, description: 'The e-mail address' }),
    password: password(),
    one_time_password: oneTimePassword(),
  },
  { $id: 'Login' },
);
export const Refresh = Type.Object({ refresh: Type.String({ maxLength: 4096 }) }, { $id: 'Refresh' });
export const TokenPair = Type.Object({ access: Type.String(), refresh: Type.String() }, { $id: 'TokenPair' });
export const ClientLogin = Type.Object(
  {
    access: Type.String({ description: 'Ends no later than the one that asked for it' }),
    refresh: Nullable(
      Type.String({ description: 'Always null: only a password opens a session that lasts' }),
    ),
  },
  { $id: 'ClientLogin' },
);
const forPeople = 'For a person who signed in with a password; null for a browser, and for API tokens';
export const ChangedPassword = Type.Object(
  {
    access: Nullable(Type.String({ description: forPeople })),
    refresh: Nullable(Type.String({ description: forPeople })),
  },
  { $id: 'ChangedPassword' },
);
const endTokens = () =>
  Type.Optional(
    Type.Boolean({ description: 'The API tokens that the person has made end as well, in every client' }),
  );

const membership = Type.Object({
  client_id: Type.Integer(),
  client_company_name: Type.String(),
  user_id: Type.Integer(),
  user_roles: Type.Array(Type.String()),
});
const USER_TYPES = ['common', 'reseller', 'seller'] as const;

export const FullUser = Type.Object(
  {
    ...User.properties,
    user_type: StringEnum(USER_TYPES),
    is_active: Type.Boolean(),
    client_and_roles: Type.Array(membership),
  },
  { $id: 'FullUser' },
);
export type FullUser = Static<typeof FullUser>;

export const FullUserList = Type.Object(
  {
    count: Type.Integer(),
    next: Nullable(Type.String()),
    previous: Nullable(Type.String()),
    results: Type.Array(FullUser),
  },
  { $id: 'FullUserList' },
);
export const PageQuery = ListQuery({});
export type PageQuery = Static<typeof PageQuery>;

/** `name`, `lang` and `phone` change; the rest may be sent back as it was read. */
export const PatchUser = Type.Object(
  {
    name: Type.Optional(Nullable(text())),
    lang: Type.Optional(StringEnum(LANGS)),
    phone: Type.Optional(Nullable(text())),
    email: Type.Optional(email()),
    auth_types: Type.Optional(Type.Array(StringEnum(['password', 'sso', 'github', 'google-oauth2']))),
    id: Type.Optional(Type.Integer()),
    reseller: Type.Optional(Type.Integer()),
    client: Type.Optional(Type.Number()),
    deleted: Type.Optional(Type.Boolean()),
    activated: Type.Optional(Type.Boolean()),
    sso_auth: Type.Optional(Type.Boolean()),
    two_fa: Type.Optional(Type.Boolean()),
    user_type: Type.Optional(StringEnum(USER_TYPES)),
    is_active: Type.Optional(Type.Boolean()),
    client_and_roles: Type.Optional(Type.Array(membership)),
  },
  { $id: 'PatchUser' },
);
export type PatchUser = Static<typeof PatchUser>;

export const ChangePassword = Type.Object(
  { old: password(), new: newPassword(), double: password(), end_tokens: endTokens() },
  { $id: 'ChangePassword' },
);
export type ChangePassword = Static<typeof ChangePassword>;
export const ForgotPassword = Type.Object({ email: email() }, { $id: 'ForgotPassword' });
export const Nothing = Type.Object({}, { $id: 'Nothing' });
export const SetPassword = Type.Object(
  { token: Type.String({ maxLength: 255 }), password: newPassword(), end_tokens: endTokens() },
  { $id: 'SetPassword' },
);
export const ChangeEmail = Type.Object({ new_email: email(), password: password() }, { $id: 'ChangeEmail' });
export const ChangedEmail = Type.Object({ new_email: email() }, { $id: 'ChangedEmail' });

export const RoleName = Type.Object({
  id: Type.Optional(Type.Integer()),
  name: Type.Optional(StringEnum(ROLE_NAMES)),
});
export type RoleName = Static<typeof RoleName>;

export const InviteUser = Type.Object(
  {
    email: email(),
    user_role: RoleName,
    client_id: Key(),
    lang: Type.Optional(StringEnum(LANGS)),
    name: Type.Optional(text()),
  },
  { $id: 'InviteUser' },
);
export type InviteUser = Static<typeof InviteUser>;
export const InviteWithLink = Type.Omit(InviteUser, ['client_id'], { $id: 'InviteWithLink' });
export const InvitationWithLink = Type.Object(
  {
    user_id: Type.Integer(),
    email: email(),
    status: Type.String(),
    link: Nullable(Type.String(), {
      description:
        'Where the invited person accepts; without a host where `VIRGA_PUBLIC_URL` is not set. Null: it was mailed, or waits in the outbox of the operator, since the installation has other clients.',
    }),
  },
  { $id: 'InvitationWithLink' },
);
export const Invitation = Type.Object(
  { user_id: Type.Integer(), email: email(), status: Type.String() },
  { $id: 'Invitation' },
);

const mailedToken = () => Type.String({ minLength: 1, maxLength: 255, description: 'As it was mailed' });
export const MailedToken = Type.Object({ token: mailedToken() }, { $id: 'MailedToken' });
export const AcceptInvitation = Type.Object(
  {
    token: mailedToken(),
    password: Type.Optional({
      ...newPassword(),
      description: `For an address without an account: ${PASSWORD_RULE}`,
    }),
    name: Type.Optional(text()),
    lang: Type.Optional(StringEnum(LANGS)),
  },
  { $id: 'AcceptInvitation' },
);
export type AcceptInvitation = Static<typeof AcceptInvitation>;
const offer = {
  client_id: Type.Integer(),
  client_name: Type.String(),
  email: email(),
  user_role: Type.Object({ id: Type.Integer(), name: StringEnum(ROLE_NAMES) }),
};
export const ShownInvitation = Type.Object(
  { ...offer, has_account: Type.Boolean({ description: 'Whether a password must be left out' }) },
  { $id: 'ShownInvitation' },
);
export const AcceptedInvitation = Type.Object(
  { ...offer, user_id: Type.Integer() },
  { $id: 'AcceptedInvitation' },
);
export const ConfirmedEmail = Type.Object({ email: email() }, { $id: 'ConfirmedEmail' });

export const ClientUser = Type.Object({ user_role: Type.Optional(RoleName) }, { $id: 'ClientUser' });
export const UserParams = Type.Object({ userId: Key() });
export const ClientUserParams = Type.Object({ clientId: Key(), userId: Key() });

/** Attempts to sign in, also those that failed. */
export const SignInList = Type.Object(
  {
    count: Type.Number(),
    next: Nullable(Type.String()),
    previous: Nullable(Type.String()),
    result: Type.Array(
      Type.Object({
        id: Type.Integer(),
        user: Type.Integer(),
        login_at: OffsetTime(),
        ip_address: Type.String(),
        user_agent: Type.String(),
        is_successful: Type.Boolean(),
        auth_type: Type.String(),
      }),
    ),
  },
  { $id: 'SignInList' },
);
