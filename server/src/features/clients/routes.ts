import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key, TaskIds } from '../../platform/http/schemas.ts';
import type { InsertProject } from '../projects/index.ts';
import { actForClient } from './act.ts';
import { deleteClient } from './deletion.ts';
import { listResources } from './resources.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

/** Clients, for those who run the cloud. */

const tag = 'Operator';
const access = 'operate';
const clients = plainPath(tag, '/virga/v1/clients');
const one = clientPath(tag, '/virga/v1/clients/{client_id}', { client_id: Key() });

export const clientRoutes = (insertProject: InsertProject): readonly Route[] => [
  clients.post({
    summary: 'Create a client with a default project',
    access,
    body: schema.CreateOperatorClient,
    rules: service.checkName,
    status: 201,
    response: schema.OperatorClient,
    handler: (ctx, { body }) => service.createClient(ctx, body, insertProject),
  }),
  clients.get({
    summary: 'List clients',
    access,
    query: schema.OperatorClientQuery,
    response: schema.OperatorClientList,
    handler: (ctx, { query }) => service.listClients(ctx, query),
  }),
  plainPath('Accounts', '/iam/clients/create').post({
    operationId: 'createOwnClient',
    summary: 'Create a client by its name alone',
    access,
    body: schema.Company,
    rules: ({ company: name }, faults) => service.checkName({ name }, faults, 'company'),
    status: 201,
    response: schema.CreatedCompany,
    handler: async (ctx, { body }) => {
      const named = { name: body.company, email: NO_ADDRESS };
      const { id, name } = await service.createClient(ctx, named, insertProject, 'company');
      return { id, company: name };
    },
  }),
  one.get({
    operationId: 'getClient',
    summary: 'Get a client',
    access,
    response: schema.OperatorClient,
    handler: (ctx) => service.getClient(ctx),
  }),
  one.patch({
    operationId: 'updateClient',
    summary: 'Rename a client, or have warnings sent to another address',
    access,
    body: schema.UpdateOperatorClient,
    rules: service.checkName,
    response: schema.OperatorClient,
    handler: (ctx, { body }) => service.updateClient(ctx, body),
  }),
  one.delete({
    operationId: 'deleteClient',
    summary: 'Delete a client that is suspended, with everything in it',
    description:
      'A task of the operator does it, and says how far it is. Nothing of the client is left in the end: no ' +
      'resources, files, people who belong to no other client, mail, tasks, usage or log.',
    access,
    response: TaskIds,
    handler: (ctx) => deleteClient(ctx),
  }),
  one.at('suspend').post({
    operationId: 'suspendClient',
    summary: 'Suspend a client: its people and tokens are refused, with the reason',
    description:
      'Nothing of it is lost. With `data_planes: stopped` its load balancers, databases and storages serve nobody ' +
      'until it is resumed. Suspended again, it has the new reason and data planes.',
    access,
    body: schema.SuspendClient,
    response: schema.OperatorClient,
    handler: (ctx, { body }) => service.suspendClient(ctx, body),
  }),
  one.at('resume').post({
    operationId: 'resumeClient',
    summary: 'Resume a client that was suspended',
    access,
    response: schema.OperatorClient,
    handler: (ctx) => service.resumeClient(ctx),
  }),
  one.at('act').post({
    operationId: 'actForClient',
    summary: 'Get a token to act for a client, for an hour',
    description:
      'It has the role Administrators. The client sees it among its tokens, may delete it, and finds what it does ' +
      'and reads in its log. While the client is suspended it only reads.',
    access,
    sensitive: true,
    body: schema.ActForClient,
    response: schema.ActingToken,
    handler: (ctx, { body }) => actForClient(ctx, body.reason),
  }),
  one.at('resources').get({
    operationId: 'listResourcesOfClient',
    summary: 'List what a client has, of all kinds, newest first',
    access,
    query: schema.ClientResourceQuery,
    response: schema.ClientResourceList,
    handler: (ctx, { query }) => listResources(ctx, query),
  }),
];

/** Of a client that was made by its name alone. */
const NO_ADDRESS = 'nobody@virga.internal';
