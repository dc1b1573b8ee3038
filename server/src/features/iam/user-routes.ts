import { clientRoute, type Route, route } from '../../platform/http/route.ts';
import { inviteUser, MAILS_TO_AN_ADDRESS, MAX_PENDING } from './invitations.ts';
import { deleteClientUser, getClientUser, putClientUser } from './member-service.ts';
import { ClientParams } from './schema.ts';
import { userAgentOf } from './session-routes.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import {
  ChangedEmail,
  ChangeEmail,
  ChangePassword,
  ClientLogin,
  ClientUser,
  ClientUserParams,
  ForgotPassword,
  FullUser,
  FullUserList,
  Invitation,
  InviteUser,
  Login,
  Nothing,
  PageQuery,
  PatchUser,
  Refresh,
  SetPassword,
  SignInList,
  TokenPair,
  UserParams,
} from './user-schema.ts';
import { changeEmail, getUser, listUsers, patchUser } from './user-service.ts';
import { MAX_MEMBERS } from './user-store.ts';

const tag = 'Accounts';
const signInTag = 'Sign-in';
const MEMBER = '/iam/clients/{clientId}/client-users/{userId}';

export function signInRoutes(signIn: SignIn, sessions: Sessions): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/iam/auth/jwt/login',
      tag: signInTag,
      summary: 'Sign in with e-mail address and password',
      description:
        'After 10 wrong passwords within a minute for an address from one place, or many from everywhere, attempts ' +
        'answer 429. Where somebody has signed in before, guesses from elsewhere do not count.',
      access: { public: 'it is how one gets in' },
      body: Login,
      response: TokenPair,
      handler: (ctx, { body, headers }) => signIn.login(ctx, body, userAgentOf(headers)),
    }),
    route({
      method: 'POST',
      path: '/iam/auth/jwt/refresh',
      tag: signInTag,
      summary: 'Stay signed in: a new pair of tokens for a refresh token, once',
      description: 'A refresh token that comes a second time was copied: the session ends.',
      access: { public: 'the refresh token says who it is' },
      body: Refresh,
      response: TokenPair,
      handler: (ctx, { body }) => sessions.refresh(ctx, body.refresh),
    }),
    route({
      method: 'GET',
      path: '/iam/auth/jwt/clients/{clientId}/login',
      tag: signInTag,
      summary: 'Go on as the same user in another client',
      access: 'self',
      params: ClientParams,
      response: ClientLogin,
      handler: (ctx, { params, headers }) => signIn.loginToClient(ctx, params.clientId, userAgentOf(headers)),
    }),
    route({
      method: 'POST',
      path: '/iam/auth/password/forgot',
      tag: signInTag,
      summary: 'Have a way to set a new password mailed',
      description:
        'One mail in 5 minutes goes to an address. The answer is the same for addresses of nobody.',
      access: { public: 'who has lost the password cannot sign in' },
      body: ForgotPassword,
      response: Nothing,
      handler: (ctx, { body }) => signIn.forgot(ctx, body.email),
    }),
    route({
      method: 'POST',
      path: '/virga/v1/password',
      tag: signInTag,
      summary: 'Set a password with a mailed token',
      access: { public: 'the mailed token says who it is' },
      body: SetPassword,
      status: 204,
      handler: (ctx, { body }) => signIn.setPassword(ctx, body),
    }),
    route({
      method: 'PUT',
      path: '/iam/users/{userId}/password',
      tag,
      summary: 'Change the own password; all sessions but the one of the answer end',
      access: 'self',
      params: UserParams,
      body: ChangePassword,
      response: TokenPair,
      sensitive: true,
      handler: (ctx, { params, body, headers }) =>
        signIn.changePassword(ctx, params.userId, body, userAgentOf(headers)),
    }),
    route({
      method: 'GET',
      path: '/iam/activity_log/logins',
      tag: signInTag,
      summary: 'List who signed in, latest first',
      access: 'administer',
      query: PageQuery,
      response: SignInList,
      handler: (ctx, { query }) => signIn.listSignIns(ctx, query),
    }),
  ];
}

export const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/iam/users',
    tag,
    summary: 'List the users of the account',
    access: 'administer',
    query: PageQuery,
    response: FullUserList,
    handler: (ctx, { query }) => listUsers(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/iam/users/{userId}',
    tag,
    summary: 'Get a user',
    access: 'self',
    params: UserParams,
    response: FullUser,
    handler: (ctx, { params }) => getUser(ctx, params.userId),
  }),
  route({
    method: 'PATCH',
    path: '/iam/users/{userId}',
    tag,
    summary: 'Change the own name, language or phone',
    access: 'self',
    params: UserParams,
    body: PatchUser,
    response: FullUser,
    handler: (ctx, { params, body }) => patchUser(ctx, params.userId, body),
  }),
  route({
    method: 'PUT',
    path: '/iam/users/{userId}/email',
    tag,
    summary: 'Change the own e-mail address, once the new one is confirmed',
    access: 'self',
    params: UserParams,
    body: ChangeEmail,
    response: ChangedEmail,
    handler: (ctx, { params, body }) => changeEmail(ctx, params.userId, body),
  }),
  route({
    method: 'POST',
    path: '/iam/clients/invite_user',
    tag,
    summary: 'Invite a user to the account; the membership begins when they accept',
    description: `An account has at most ${MAX_MEMBERS} members and ${MAX_PENDING} open invitations; an address gets at most ${MAILS_TO_AN_ADDRESS.points} invitations an hour.`,
    access: 'administer',
    body: InviteUser,
    response: Invitation,
    handler: (ctx, { body }) => inviteUser(ctx, body),
  }),
  clientRoute({
    method: 'GET',
    path: MEMBER,
    tag,
    summary: 'Get the role of a user in the account',
    access: 'administer',
    params: ClientUserParams,
    response: ClientUser,
    handler: (ctx, { params }) => getClientUser(ctx, params.userId),
  }),
  clientRoute({
    method: 'PUT',
    path: MEMBER,
    tag,
    summary: 'Give a user another role',
    access: 'administer',
    params: ClientUserParams,
    body: ClientUser,
    status: 204,
    handler: (ctx, { params, body }) => putClientUser(ctx, params.userId, body),
  }),
  clientRoute({
    method: 'DELETE',
    path: MEMBER,
    tag,
    summary: 'Remove a user from the account',
    access: 'administer',
    params: ClientUserParams,
    response: Nothing,
    handler: (ctx, { params }) => deleteClientUser(ctx, params.userId),
  }),
];
