import { type Static, Type } from '@sinclair/typebox';
import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { listPage } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key, ListOf, ListQuery, Nullable, OffsetTime } from '../../platform/http/schemas.ts';
import { listMail, wholeBody } from '../../platform/mail/outbox.ts';
import type { InsertProject } from '../projects/index.ts';
import { GLOBAL_REGION, reserve } from '../quotas/index.ts';
import { invite } from './invitations.ts';
import { addUser } from './member-service.ts';
import { checkPassword } from './password-rules.ts';
import { Invitation, InviteUser, newPassword, type PageQuery } from './user-schema.ts';
import { checkRole } from './user-service.ts';

/** Calls of those who run the cloud: clients, their first users, and the outbox. */

const tag = 'Operator';
const access = 'operate';
const company = () => Type.String({ minLength: 1, maxLength: 255 });

const OperatorClient = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    status: Type.String(),
    created_at: OffsetTime(),
  },
  { $id: 'OperatorClient' },
);
const CreateOperatorClient = Type.Object(
  { name: company(), email: Type.String({ format: 'email', description: 'Where warnings go' }) },
  { $id: 'CreateOperatorClient' },
);
const Company = Type.Object({ id: Type.Optional(Type.Integer()), company: company() }, { $id: 'Company' });
const CreatedCompany = Type.Object({ id: Type.Integer(), company: Type.String() }, { $id: 'CreatedCompany' });
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

const CLIENT_COLUMNS = ['id', 'name', 'email', 'status', 'created_at'] as const;
const COLUMNS = listOf(CLIENT_COLUMNS);
type ClientRow = RowOf<'clients', typeof CLIENT_COLUMNS>;
const view = ({ id, name, email, status, created_at }: ClientRow) => ({
  ...{ id, name, email, status },
  created_at: offsetTime(created_at),
});

/** A client starts with a default project. */
async function createClient(
  ctx: RequestContext,
  input: Static<typeof CreateOperatorClient>,
  insertProject: InsertProject,
) {
  return ctx.db.transaction(async (tx) => {
    const timestamp = ctx.clock.timestamp();
    const [row] = await tx.named<ClientRow>(
      'client_insert',
      `insert into clients (name, email, created_at) values ($1, $2, $3) returning ${COLUMNS}`,
      [input.name, input.email, timestamp],
    );
    if (!row) throw new Error('the client was not inserted');
    await insertProject(tx, {
      clientId: row.id,
      name: 'Default',
      description: null,
      isDefault: true,
      timestamp,
    });
    await recordAudit(tx, ctx, {
      action: 'create_client',
      subject: row.id,
      name: row.name,
      clientId: row.id,
    });
    await reserve(tx, { clientId: row.id, regionId: GLOBAL_REGION }, { project_count: 1 });
    return view(row);
  });
}

async function listClients(ctx: RequestContext, { limit, offset }: PageQuery) {
  const { count, rows } = await listPage<ClientRow>(ctx.db, {
    ...{ name: 'client_list', table: 'clients', alias: 'a', columns: COLUMNS, limit, offset },
    order: 'id',
  });
  return { count, results: rows.map(view) };
}

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

const clients = plainPath(tag, '/virga/v1/clients');

export const operatorRoutes = (insertProject: InsertProject): readonly Route[] => [
  clients.post({
    summary: 'Create a client with a default project',
    access,
    body: CreateOperatorClient,
    status: 201,
    response: OperatorClient,
    handler: (ctx, { body }) => createClient(ctx, body, insertProject),
  }),
  clients.get({
    summary: 'List clients',
    access,
    query: ListQuery({}),
    response: ListOf(OperatorClient, 'OperatorClientList'),
    handler: (ctx, { query }) => listClients(ctx, query),
  }),
  plainPath('Accounts', '/iam/clients/create').post({
    operationId: 'createOwnClient',
    summary: 'Create a client by its name alone',
    access,
    body: Company,
    status: 201,
    response: CreatedCompany,
    handler: async (ctx, { body }) => {
      const { id, name } = await createClient(ctx, { name: body.company, email: NO_ADDRESS }, insertProject);
      return { id, company: name };
    },
  }),
  clientPath(tag, '/virga/v1/clients/{client_id}/users', { client_id: Key() }).post({
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
    operationId: 'listMail',
    summary: 'Read the mail that was sent or waits, newest first',
    access,
    query: ListQuery({}),
    response: ListOf(Mail, 'MailList'),
    handler: (ctx, { query }) => readOutbox(ctx, query),
  }),
];

/** Of a client that was made by its name alone. */
const NO_ADDRESS = 'nobody@virga.internal';
