import { recordLook } from '../../platform/audit/audit.ts';
import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import {
  checkSubscription,
  listSubscriptions,
  MOST_SUBSCRIPTIONS,
  type SubscriptionOptions,
  subscribe,
  unsubscribe,
} from '../webhooks/index.ts';
import { AuditLog, AuditLogQuery, readAuditLog } from './audit-log.ts';
import {
  CreateSubscription,
  SubscriptionList,
  SubscriptionListQuery,
  UserActionList,
  UserActionListQuery,
} from './schema.ts';
import { userActions } from './service.ts';

const PATH = plainPath('User actions', '/cloud/v1/user_actions');

export const userActionRoutes = (options: SubscriptionOptions): readonly Route[] => [
  PATH.get({
    summary: 'List what users and tokens of the account have changed',
    access: 'administer',
    query: UserActionListQuery,
    response: UserActionList,
    handler: (ctx, { query }) => userActions(ctx, query),
  }),
  plainPath('User actions', '/virga/v1/audit_log').get({
    operationId: 'readAuditLog',
    summary: 'Read all that was done to the account, and what operators have read of it, latest first',
    access: 'administer',
    query: AuditLogQuery,
    response: AuditLog,
    handler: (ctx, { query }) => readAuditLog(ctx, ctx.caller.clientId, query),
  }),
  clientPath('Operator', '/virga/v1/clients/{client_id}/audit_log', { client_id: Key() }).get({
    operationId: 'readAuditLogOfClient',
    summary: 'Read all that was done to a client, latest first',
    access: 'operate',
    query: AuditLogQuery,
    response: AuditLog,
    handler: async (ctx, { query }) => {
      await recordLook(ctx, 'audit_log');
      return readAuditLog(ctx, ctx.clientId, query);
    },
  }),
  PATH.at('subscribe').post({
    operationId: 'subscribeToUserActions',
    summary: 'Have user actions posted to an address',
    description: `An account has at most ${MOST_SUBSCRIPTIONS} addresses.`,
    access: 'administer',
    body: CreateSubscription,
    rules: (body, faults) => checkSubscription(body, options.allowedNetworks, faults),
    status: 204,
    handler: (ctx, { body }) => subscribe(ctx, options, body),
  }),
  PATH.at('subscriptions_list').get({
    operationId: 'listUserActionSubscriptions',
    sensitive: true,
    summary: 'List the addresses that user actions are posted to',
    access: 'administer',
    query: SubscriptionListQuery,
    response: SubscriptionList,
    handler: (ctx, { query }) => listSubscriptions(ctx, options.cipher, query),
  }),
  PATH.at('unsubscribe').post({
    operationId: 'unsubscribeFromUserActions',
    summary: 'Have user actions posted nowhere any more',
    access: 'administer',
    status: 204,
    handler: (ctx) => unsubscribe(ctx),
  }),
];
