import { checkCredentials } from '../../kernel/rules.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import {
  CreatedWebhookTarget,
  CreateWebhookTarget,
  DeliveryListQuery,
  DeliveryParams,
  TargetListQuery,
  TargetParams,
  UpdateWebhookTarget,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookTarget,
  WebhookTargetList,
} from './schema.ts';
import {
  createTarget,
  deleteTarget,
  listDeliveries,
  listTargets,
  replayDelivery,
  rotateSecret,
  updateTarget,
} from './service.ts';

const tag = 'Operator';
const TARGETS = plainPath(tag, '/virga/v1/webhook_targets');
const TARGET = TARGETS.at('{target_id}', TargetParams.properties);

const deliveries = plainPath(tag, '/virga/v1/webhook_deliveries').get({
  summary: 'List what was posted to webhook targets, and what waits, newest first',
  access: 'operate',
  query: DeliveryListQuery,
  response: WebhookDeliveryList,
  handler: (ctx, { query }) => listDeliveries(ctx, query),
});

export function webhookRoutes(cipher: Cipher): readonly Route[] {
  return [
    deliveries,
    plainPath(tag, '/virga/v1/webhook_deliveries/{delivery_id}/replay', DeliveryParams.properties).post({
      operationId: 'replayWebhookDelivery',
      summary: 'Post an ended delivery again',
      access: 'operate',
      response: WebhookDelivery,
      handler: (ctx, { params }) => replayDelivery(ctx, params.delivery_id),
    }),
    TARGETS.get({
      summary: 'List webhook targets',
      access: 'operate',
      query: TargetListQuery,
      response: WebhookTargetList,
      handler: (ctx, { query }) => listTargets(ctx, query),
    }),
    TARGETS.post({
      summary: 'Post the events of a client to an address; the signing secret is shown once',
      access: 'operate',
      sensitive: true,
      body: CreateWebhookTarget,
      rules: checkCredentials,
      status: 201,
      response: CreatedWebhookTarget,
      handler: (ctx, { body }) => createTarget(ctx, cipher, body),
    }),
    TARGET.patch({
      summary: 'Give a webhook target another address; one that has ended begins again',
      access: 'operate',
      body: UpdateWebhookTarget,
      rules: checkCredentials,
      response: WebhookTarget,
      handler: (ctx, { params, body }) => updateTarget(ctx, params.target_id, body),
    }),
    TARGET.at('rotate_secret').post({
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new signing secret, which is shown once; calls are signed with both for a day',
      access: 'operate',
      sensitive: true,
      response: CreatedWebhookTarget,
      handler: (ctx, { params }) => rotateSecret(ctx, cipher, params.target_id),
    }),
    TARGET.delete({
      summary: 'Delete a webhook target; what was still to be sent to it is given up',
      access: 'operate',
      status: 204,
      handler: (ctx, { params }) => deleteTarget(ctx, params.target_id),
    }),
  ];
}
