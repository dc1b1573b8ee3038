import { recordLook } from '../../platform/audit/audit.ts';
import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import {
  checkSubscription,
  listOwnDeliveries,
  listSubscriptions,
  MOST_SUBSCRIPTIONS,
  OwnDeliveryListQuery,
  replayOwnDelivery,
  type SubscriptionOptions,
  subscribe,
  testSubscription,
  unsubscribe,
  WebhookDelivery,
  WebhookDeliveryList,
} from '../webhooks/index.ts';
import { AuditLog, AuditLogQuery, readAuditLog } from './audit-log.ts';
import {
  CreateSubscription,
  DeliveryParams,
  SubscriptionList,
  SubscriptionListQuery,
  SubscriptionParams,
  SubscriptionTest,
  UserActionList,
  UserActionListQuery,
} from './schema.ts';
import { userActions } from './service.ts';

const DELIVERIES = plainPath('User actions', '/virga/v1/user_action_deliveries');
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
  plainPath(
    'User actions',
    '/virga/v1/user_action_subscriptions/{subscription_id}/test',
    SubscriptionParams.properties,
  ).post({
    operationId: 'testUserActionSubscription',
    summary: 'Post a test to an address that user actions are posted to',
    description: 'Says at once whether the address accepted it. Nothing is tried again.',
    access: 'administer',
    response: SubscriptionTest,
    handler: (ctx, { params }) => testSubscription(ctx, options, params.subscription_id),
  }),
  DELIVERIES.get({
    operationId: 'listUserActionDeliveries',
    summary: 'List what was posted to the addresses of the account, and what waits, newest first',
    access: 'administer',
    query: OwnDeliveryListQuery,
    response: WebhookDeliveryList,
    handler: (ctx, { query }) => listOwnDeliveries(ctx, query),
  }),
  plainPath(
    'User actions',
    '/virga/v1/user_action_deliveries/{delivery_id}/replay',
    DeliveryParams.properties,
  ).post({
    operationId: 'replayUserActionDelivery',
    summary: 'Post an ended delivery to an address of the account again',
    access: 'administer',
    response: WebhookDelivery,
    handler: (ctx, { params }) => replayOwnDelivery(ctx, params.delivery_id),
  }),
  PATH.at('unsubscribe').post({
    operationId: 'unsubscribeFromUserActions',
    summary: 'Have user actions posted nowhere any more',
    access: 'administer',
    status: 204,
    handler: (ctx) => unsubscribe(ctx),
  }),
];
