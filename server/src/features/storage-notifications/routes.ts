import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { checkEvent, readEvents, readTarget } from './event-rules.ts';
import { acceptReport } from './intake.ts';
import {
  Configurator,
  EventInput,
  EventQuery,
  EventsInput,
  ReportParams,
  StorageNotificationEvent,
  StorageNotificationEvents,
  UsageReceipt,
  UsageReport,
} from './schema.ts';
import { deleteEvent, getEvents, MAX_EVENTS, setEvent, setEvents } from './service.ts';
import { storageUsageRoute } from './usage-view.ts';
import { viewConfigurator } from './views.ts';

const tag = 'Storage notifications';
const LIMIT = `An account has at most ${MAX_EVENTS} thresholds.`;
const EVENT = plainPath(tag, '/storage/notifications/v1/event');
const EVENTS = plainPath(tag, '/storage/notifications/v1/events');

const eventRoutes: readonly Route[] = [
  EVENT.put({
    operationId: 'setStorageEvent',
    summary: 'Set a threshold on a storage or a bucket',
    description: LIMIT,
    access: 'write',
    query: EventQuery,
    body: EventInput,
    rules: checkEvent,
    status: 204,
    handler: (ctx, { query, body }) => setEvent(ctx, body, query.client_id),
  }),
  EVENT.post({
    operationId: 'setAndGetStorageEvent',
    summary: 'Set a threshold on a storage or a bucket, and see it as it is stored',
    description: LIMIT,
    access: 'write',
    query: EventQuery,
    body: EventInput,
    rules: checkEvent,
    response: StorageNotificationEvent,
    handler: (ctx, { query, body }) => setEvent(ctx, body, query.client_id),
  }),
  EVENT.delete({
    operationId: 'deleteStorageEvent',
    summary: 'Delete the threshold with this uuid, or of this name on this storage or bucket',
    access: 'write',
    query: EventQuery,
    body: EventInput,
    rules: (body, faults) => readTarget(body, '', faults),
    status: 204,
    handler: (ctx, { query, body }) => deleteEvent(ctx, body, query.client_id),
  }),
];

const eventsRoutes: readonly Route[] = [
  EVENTS.get({
    summary: 'List the thresholds of all storages',
    access: 'read',
    query: EventQuery,
    response: StorageNotificationEvents,
    handler: (ctx, { query }) => getEvents(ctx, query.client_id),
  }),
  EVENTS.post({
    operationId: 'setStorageEvents',
    summary: 'Set several thresholds, all or none; those not given stay',
    description: LIMIT,
    access: 'write',
    query: EventQuery,
    body: EventsInput,
    rules: readEvents,
    response: StorageNotificationEvents,
    handler: (ctx, { query, body }) => setEvents(ctx, body, query.client_id),
  }),
  EVENTS.at('configurator').get({
    operationId: 'listStorageEventKinds',
    summary: 'List the kinds of thresholds and their fields',
    access: 'read',
    response: Configurator,
    handler: async () => viewConfigurator(),
  }),
];

const intakeRoute = clientPath(
  'Operator',
  '/virga/v1/clients/{client_id}/storages/{storage_name}/usage_reports',
  ReportParams.properties,
).post({
  operationId: 'reportStorageUsage',
  summary: 'Count what a storage engine or the delivery edge reports, each report once',
  access: 'report',
  body: UsageReport,
  response: UsageReceipt,
  handler: (ctx, { params, body }) => acceptReport(ctx, params.storage_name, body),
});

export const storageNotificationRoutes: readonly Route[] = [
  ...eventRoutes,
  ...eventsRoutes,
  intakeRoute,
  storageUsageRoute,
];
