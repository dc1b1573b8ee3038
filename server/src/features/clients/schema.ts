import { type Static, Type } from '@sinclair/typebox';
import { ListOf, ListQuery, Nullable, OffsetTime, StringEnum, Uuid } from '../../platform/http/schemas.ts';

export const company = () => Type.String({ minLength: 1, maxLength: 255 });
const email = () => Type.String({ format: 'email', description: 'Where warnings go' });
const STATES = ['active', 'paused'] as const;
const DATA_PLANES = ['running', 'stopped'] as const;

export const OperatorClient = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    status: StringEnum(STATES, { description: 'paused: it is suspended' }),
    created_at: OffsetTime(),
    suspended_at: Nullable(OffsetTime(), { description: 'Since when; null: it is not suspended' }),
    suspend_reason: Nullable(
      Type.String({ description: 'Shown to its people, and in answers to its tokens' }),
    ),
    data_planes: StringEnum(DATA_PLANES, { description: 'Whether what it has serves traffic' }),
    task_id: Nullable(Uuid(), { description: 'The task that deletes it' }),
  },
  { $id: 'OperatorClient' },
);
export const OperatorClientList = ListOf(OperatorClient, 'OperatorClientList');

export const OperatorClientQuery = ListQuery({
  name: Type.Optional(Type.String({ description: 'Part of the name' })),
  status: Type.Optional(StringEnum(STATES)),
});
export type OperatorClientQuery = Static<typeof OperatorClientQuery>;

export const CreateOperatorClient = Type.Object(
  { name: company(), email: email() },
  { $id: 'CreateOperatorClient' },
);
export type CreateOperatorClient = Static<typeof CreateOperatorClient>;

export const UpdateOperatorClient = Type.Object(
  { name: Type.Optional(company()), email: Type.Optional(email()) },
  { $id: 'UpdateOperatorClient' },
);
export type UpdateOperatorClient = Static<typeof UpdateOperatorClient>;

const reason = (description: string) => Type.String({ minLength: 3, maxLength: 500, description });

export const SuspendClient = Type.Object(
  {
    reason: reason('Shown to its people, and in answers to its tokens'),
    data_planes: StringEnum(DATA_PLANES, {
      description: 'Whether what it has goes on serving traffic; no data are lost either way',
    }),
  },
  { $id: 'SuspendClient' },
);
export type SuspendClient = Static<typeof SuspendClient>;

export const ActForClient = Type.Object(
  { reason: reason('Stands in the log of the client, and names the token in its list') },
  { $id: 'ActForClient' },
);
export const ActingToken = Type.Object(
  {
    id: Type.Integer(),
    client_id: Type.Integer(),
    token: Type.String({ description: 'Shown this once' }),
    expires_at: OffsetTime(),
  },
  { $id: 'ActingToken' },
);

export const ClientResource = Type.Object(
  {
    kind: Type.String({ description: 'The table of it, such as load_balancers' }),
    id: Type.String(),
    name: Type.String(),
    project_id: Nullable(Type.Integer(), { description: 'null: it is in no project' }),
    region_id: Nullable(Type.Integer(), { description: 'null: it is in no region' }),
    created_at: OffsetTime(),
  },
  { $id: 'ClientResource' },
);
export const ClientResourceList = ListOf(ClientResource, 'ClientResourceList');
export const ClientResourceQuery = ListQuery({
  kind: Type.Optional(Type.String({ description: 'Only these' })),
});
export type ClientResourceQuery = Static<typeof ClientResourceQuery>;

export const Company = Type.Object(
  { id: Type.Optional(Type.Integer()), company: company() },
  { $id: 'Company' },
);
export const CreatedCompany = Type.Object(
  { id: Type.Integer(), company: Type.String() },
  { $id: 'CreatedCompany' },
);
