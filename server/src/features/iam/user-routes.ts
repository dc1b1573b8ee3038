import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { inviteUser, MAILS_TO_AN_ADDRESS, MAX_PENDING } from './invitations.ts';
import { deleteClientUser, getClientUser, putClientUser } from './member-service.ts';
import { checkPassword } from './password-rules.ts';
import { ClientParams } from './schema.ts';
import { userAgentOf } from './session-routes.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import {
  ChangedEmail,
  ChangedPassword,
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
import { changeEmail, checkNewPassword, checkRole, getUser, listUsers, patchUser } from './user-service.ts';
import { MAX_MEMBERS } from './user-store.ts';

const tag = 'Accounts';
const signInTag = 'Sign-in';
const users = plainPath(tag, '/iam/users');
const user = users.at('{userId}', UserParams.properties);
const member = clientPath(tag, '/iam/clients/{clientId}/client-users/{userId}', ClientUserParams.properties);

export function signInRoutes(signIn: SignIn, sessions: Sessions): readonly Route[] {
  return [
    plainPath(signInTag, '/iam/auth/jwt/login').post({
      operationId: 'signIn',
      summary: 'Sign in with e-mail address and password',
      description:
        'After 10 wrong passwords within a minute for an address from one place, or many from everywhere, attempts ' +
        'answer 429. Where somebody has signed in before, guesses from elsewhere do not count.',
      access: { public: 'it is how one gets in' },
      body: Login,
      response: TokenPair,
      sensitive: true,
      handler: (ctx, { body, headers }) => signIn.login(ctx, body, userAgentOf(headers)),
    }),
    plainPath(signInTag, '/iam/auth/jwt/refresh').post({
      operationId: 'refreshAccess',
      summary: 'Stay signed in: a new pair of tokens for a refresh token, once',
      description: 'A refresh token that comes a second time was copied: the session ends.',
      access: { public: 'the refresh token says who it is' },
      body: Refresh,
      response: TokenPair,
      sensitive: true,
      handler: (ctx, { body }) => sessions.refresh(ctx, body.refresh),
    }),
    plainPath(signInTag, '/iam/auth/jwt/clients/{clientId}/login', ClientParams.properties).get({
      operationId: 'signInToClient',
      summary: 'Go on as the same user in another client',
      access: 'self',
      response: ClientLogin,
      handler: (ctx, { params, headers }) => signIn.loginToClient(ctx, params.clientId, userAgentOf(headers)),
    }),
    plainPath(signInTag, '/iam/auth/password/forgot').post({
      operationId: 'askForNewPassword',
      summary: 'Have a way to set a new password mailed',
      description:
        'One mail in 5 minutes goes to an address. The answer is the same for addresses of nobody.',
      access: { public: 'who has lost the password cannot sign in' },
      body: ForgotPassword,
      response: Nothing,
      handler: (ctx, { body }) => signIn.forgot(ctx, body.email),
    }),
    plainPath(signInTag, '/virga/v1/password').post({
      operationId: 'setForgottenPassword',
      summary: 'Set a password with a mailed token',
      access: { public: 'the mailed token says who it is' },
      body: SetPassword,
      rules: ({ password }, faults) => checkPassword(['password', password], faults),
      status: 204,
      handler: (ctx, { body }) => signIn.setPassword(ctx, body),
    }),
    user.at('password').put({
      operationId: 'changePassword',
      summary: 'Change the own password; all sessions end',
      description:
        'A person goes on in a new session: with the new pair of tokens of the answer, and a browser with a new ' +
        'cookie. An API token gets neither.',
      access: 'self',
      body: ChangePassword,
      rules: checkNewPassword,
      response: ChangedPassword,
      sensitive: true,
      handler: (ctx, { params, body, headers }) =>
        signIn.changePassword(ctx, params.userId, body, userAgentOf(headers)),
    }),
    plainPath(signInTag, '/iam/activity_log/logins').get({
      operationId: 'listSignIns',
      summary: 'List who signed in, latest first',
      access: 'administer',
      query: PageQuery,
      response: SignInList,
      handler: (ctx, { query }) => signIn.listSignIns(ctx, query),
    }),
  ];
}

export const userRoutes: readonly Route[] = [
  users.get({
    summary: 'List the users of the account',
    access: 'administer',
    query: PageQuery,
    response: FullUserList,
    handler: (ctx, { query }) => listUsers(ctx, query),
  }),
  user.get({
    summary: 'Get a user',
    access: 'self',
    response: FullUser,
    handler: (ctx, { params }) => getUser(ctx, params.userId),
  }),
  user.patch({
    summary: 'Change the own name, language or phone',
    description: 'Administrators change those of somebody who has not accepted the invitation yet.',
    access: 'self',
    body: PatchUser,
    response: FullUser,
    handler: (ctx, { params, body }) => patchUser(ctx, params.userId, body),
  }),
  user.at('email').put({
    operationId: 'changeEmail',
    summary: 'Change the own e-mail address, once the new one is confirmed',
    access: 'self',
    body: ChangeEmail,
    response: ChangedEmail,
    handler: (ctx, { params, body }) => changeEmail(ctx, params.userId, body),
  }),
  plainPath(tag, '/iam/clients/invite_user').post({
    operationId: 'inviteUser',
    summary: 'Invite a user to the account; the membership begins when they accept',
    description: `An account has at most ${MAX_MEMBERS} members and ${MAX_PENDING} open invitations; an address gets at most ${MAILS_TO_AN_ADDRESS.points} invitations an hour.`,
    access: 'administer',
    body: InviteUser,
    recentSignIn: true,
    rules: checkRole,
    response: Invitation,
    handler: (ctx, { body }) => inviteUser(ctx, body),
  }),
  member.get({
    operationId: 'getUserOfClient',
    summary: 'Get the role of a user in the account',
    access: 'administer',
    response: ClientUser,
    handler: (ctx, { params }) => getClientUser(ctx, params.userId),
  }),
  member.put({
    operationId: 'setRoleOfUser',
    summary: 'Give a user another role',
    access: 'administer',
    recentSignIn: true,
    body: ClientUser,
    status: 204,
    handler: (ctx, { params, body }) => putClientUser(ctx, params.userId, body),
  }),
  member.delete({
    operationId: 'removeUserFromClient',
    summary: 'Remove a user from the account',
    access: 'administer',
    recentSignIn: true,
    response: Nothing,
    handler: (ctx, { params }) => deleteClientUser(ctx, params.userId),
  }),
];
