import { type Route, route } from '../../platform/http/route.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import {
  checkSubscription,
  listSubscriptions,
  MOST_SUBSCRIPTIONS,
  subscribe,
  unsubscribe,
} from '../webhooks/index.ts';
import {
  CreateSubscription,
  SubscriptionList,
  SubscriptionListQuery,
  UserActionList,
  UserActionListQuery,
} from './schema.ts';
import { userActions } from './service.ts';

const tag = 'User actions';
const PATH = '/cloud/v1/user_actions';

export const userActionRoutes = (cipher: Cipher): readonly Route[] => [
  route({
    method: 'GET',
    path: PATH,
    tag,
    summary: 'List what users and tokens of the account have changed',
    access: 'administer',
    query: UserActionListQuery,
    response: UserActionList,
    handler: (ctx, { query }) => userActions(ctx, query),
  }),
  route({
    method: 'POST',
    path: `${PATH}/subscribe`,
    tag,
    operationId: 'subscribeToUserActions',
    summary: 'Have user actions posted to an address',
    description: `An account has at most ${MOST_SUBSCRIPTIONS} addresses.`,
    access: 'administer',
    body: CreateSubscription,
    rules: checkSubscription,
    status: 204,
    handler: (ctx, { body }) => subscribe(ctx, cipher, body),
  }),
  route({
    method: 'GET',
    path: `${PATH}/subscriptions_list`,
    tag,
    operationId: 'listUserActionSubscriptions',
    summary: 'List the addresses that user actions are posted to',
    access: 'administer',
    query: SubscriptionListQuery,
    response: SubscriptionList,
    handler: (ctx, { query }) => listSubscriptions(ctx, cipher, query),
  }),
  route({
    method: 'POST',
    path: `${PATH}/unsubscribe`,
    tag,
    operationId: 'unsubscribeFromUserActions',
    summary: 'Have user actions posted nowhere any more',
    access: 'administer',
    status: 204,
    handler: (ctx) => unsubscribe(ctx),
  }),
];
