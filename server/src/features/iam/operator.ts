import { Type } from '@sinclair/typebox';
import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { recordLook } from '../../platform/audit/audit.ts';
import type { ClientContext, RequestContext } from '../../platform/http/context.ts';
import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key, ListOf, ListQuery, Nullable, OffsetTime } from '../../platform/http/schemas.ts';
import { listMail, wholeBody } from '../../platform/mail/outbox.ts';
import { invite } from './invitations.ts';
import { addUser, deleteClientUser } from './member-service.ts';
import { checkPassword } from './password-rules.ts';
import { ApiTokenList, TokenListQuery } from './schema.ts';
import { deleteToken, listTokens } from './token-service.ts';
import { FullUserList, Invitation, InviteUser, newPassword, PageQuery } from './user-schema.ts';
import { checkRole, listUsers } from './user-service.ts';

/** Calls of those who run the cloud: users and tokens of clients, and the outbox. */

const tag = 'Operator';
const access = 'operate';

const AddUser = Type.Object(
  {
    email: InviteUser.properties.email,
    user_role: InviteUser.properties.user_role,
    lang: InviteUser.properties.lang,
    name: InviteUser.properties.name,
    password: Type.Optional({
      ...newPassword(),
      description: `Without one the user is invited by mail. ${newPassword().description}`,
    }),
  },
  { $id: 'AddUser' },
);
const Mail = Type.Object(
  {
    id: Type.Integer(),
    client_id: Nullable(Type.Integer()),
    kind: Type.String(),
    recipient: Type.String(),
    subject: Type.String(),
    body: Type.String(),
    attempts: Type.Integer(),
    error: Nullable(Type.String()),
    created_at: OffsetTime(),
    sent_at: Nullable(OffsetTime()),
    failed_at: Nullable(OffsetTime()),
  },
  { $id: 'Mail' },
);

/** The context of a call by the client itself. */
const asMember = (ctx: ClientContext): RequestContext => ({
  ...ctx,
  caller: { ...ctx.caller, clientId: ctx.clientId },
});

async function readOutbox(ctx: RequestContext, { limit, offset }: PageQuery) {
  const { count, rows } = await listMail(ctx.db, { limit, offset });
  return {
    count,
    results: rows.map((row) => ({
      id: row.id,
      client_id: row.client_id,
      kind: row.kind,
      recipient: row.recipient,
      subject: row.subject,
      body: wholeBody(ctx.cipher, row),
      attempts: row.attempts,
      error: row.error,
      created_at: offsetTime(row.created_at),
      sent_at: nullable(offsetTime)(row.sent_at),
      failed_at: nullable(offsetTime)(row.failed_at),
    })),
  };
}

const one = clientPath(tag, '/virga/v1/clients/{client_id}', { client_id: Key() });
const users = one.at('users');
const tokens = one.at('tokens');

export const operatorRoutes: readonly Route[] = [
  users.get({
    operationId: 'listUsersOfClient',
    summary: 'List the users of a client, and who is invited',
    access,
    query: PageQuery,
    response: FullUserList,
    handler: async (ctx, { query }) => {
      await recordLook(ctx, 'users');
      return listUsers(asMember(ctx), query);
    },
  }),
  users.at('{user_id}', { user_id: Key() }).delete({
    operationId: 'removeUserOfClient',
    summary: 'Remove a user from a client; their sessions and tokens there end',
    access,
    status: 204,
    handler: async (ctx, { params }) => {
      await deleteClientUser(ctx, params.user_id);
    },
  }),
  tokens.get({
    operationId: 'listTokensOfClient',
    summary: 'List the API tokens of a client',
    access,
    query: TokenListQuery,
    response: ApiTokenList,
    handler: async (ctx, { query }) => {
      await recordLook(ctx, 'tokens');
      return listTokens(ctx, query);
    },
  }),
  tokens.at('{token_id}', { token_id: Key() }).delete({
    operationId: 'deleteTokenOfClient',
    summary: 'Delete an API token of a client; it is refused within a second',
    access,
    status: 204,
    handler: (ctx, { params }) => deleteToken(ctx, params.token_id),
  }),
  users.post({
    summary: 'Add a user to a client, with a password or by invitation',
    access,
    body: AddUser,
    rules: (body, faults) => {
      checkRole(body, faults);
      checkPassword(['password', body.password], faults, body.email);
    },
    status: 201,
    response: Invitation,
    handler: (ctx, { body: { password, ...user } }) =>
      password === undefined ? invite(ctx, user) : addUser(ctx, { ...user, password }),
  }),
  plainPath(tag, '/virga/v1/outbox').get({
    // Mails have links that sign in.
    sensitive: true,
    operationId: 'listMail',
    summary: 'Read the mail that was sent or waits, newest first',
    access,
    query: ListQuery({}),
    response: ListOf(Mail, 'MailList'),
    handler: (ctx, { query }) => readOutbox(ctx, query),
  }),
];
