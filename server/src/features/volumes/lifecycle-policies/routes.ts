import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { Uuid } from '../../../platform/http/schemas.ts';
import { ItemPrice } from '../../../platform/prices/schema.ts';
import { MAX_POLICIES, MAX_SCHEDULES } from './model.ts';
import { checkSchedules } from './rules.ts';
import {
  AddSchedules,
  CreateLifecyclePolicy,
  LifecyclePolicy,
  LifecyclePolicyList,
  LifecyclePolicyListQuery,
  LifecyclePolicyParams,
  LifecyclePolicyQuery,
  MaxPolicyUsage,
  PolicyVolumes,
  PriceSnapshots,
  RemoveSchedules,
  Schedule,
  SnapshotsPrice,
  UpdateLifecyclePolicy,
  UpdateSchedule,
} from './schema.ts';
import type { LifecyclePolicyService } from './service.ts';

const all = regionPath('Lifecycle policies', '/cloud/v1/lifecycle_policy/{project_id}/{region_id}');
const priced = regionPath('Pricing', '/cloud/v1/pricing/{project_id}/{region_id}/lifecycle_policy');
const schedule = regionPath(
  'Lifecycle policies',
  '/cloud/v1/schedule/{project_id}/{region_id}/{schedule_id}',
  {
    schedule_id: Uuid(),
  },
);
const one = all.at('{policy_id}', LifecyclePolicyParams.properties);

export const lifecyclePolicyRoutes = (service: LifecyclePolicyService): readonly Route[] => [
  all.post({
    summary: 'Create a lifecycle policy, which takes snapshots of its volumes by its schedules',
    description: `A project has at most ${MAX_POLICIES} policies in a region, and a policy ${MAX_SCHEDULES} schedules.`,
    body: CreateLifecyclePolicy,
    rules: ({ schedules }, faults) => checkSchedules(schedules, faults),
    response: LifecyclePolicy,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.at('estimate_max_policy_usage').post({
    operationId: 'estimateMaxUsageOfLifecyclePolicy',
    summary: 'Say how many snapshots a lifecycle policy can have; nothing is created',
    access: 'read',
    body: CreateLifecyclePolicy,
    rules: ({ schedules }, faults) => checkSchedules(schedules, faults),
    response: MaxPolicyUsage,
    handler: (ctx, { body }) => service.estimateMaxUsage(ctx, body),
  }),
  priced.post({
    operationId: 'priceLifecyclePolicy',
    summary: 'Say what the snapshots of a lifecycle policy would cost at most',
    access: 'read',
    body: CreateLifecyclePolicy,
    rules: ({ schedules }, faults) => checkSchedules(schedules, faults),
    response: ItemPrice,
    handler: async (ctx, { body }) => (await service.estimateMaxUsage(ctx, body)).max_cost,
  }),
  priced.version(2).post({
    operationId: 'priceSnapshotsOfLifecyclePolicy',
    summary: 'Say what the snapshots of a lifecycle policy would cost at most, by the type of volume',
    access: 'read',
    body: PriceSnapshots,
    rules: ({ schedules }, faults) => checkSchedules(schedules, faults),
    response: SnapshotsPrice,
    handler: (ctx, { body }) => service.price(ctx, body),
  }),
  schedule.get({
    operationId: 'getLifecycleSchedule',
    summary: 'Get a schedule of a lifecycle policy',
    response: Schedule,
    handler: (ctx, { params: { schedule_id: id } }) => service.getSchedule(ctx, id),
  }),
  schedule.patch({
    operationId: 'updateLifecycleSchedule',
    summary: 'Change a schedule of a lifecycle policy',
    description:
      'What is not given stays, unless the schedule becomes one of the other type. Intervals are counted from the change on if it runs at other times.',
    body: UpdateSchedule,
    response: Schedule,
    handler: (ctx, { params: { schedule_id: id }, body }) => service.updateSchedule(ctx, id, body),
  }),
  all.get({
    summary: 'List lifecycle policies',
    query: LifecyclePolicyListQuery,
    response: LifecyclePolicyList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  one.get({
    summary: 'Get a lifecycle policy',
    query: LifecyclePolicyQuery,
    response: LifecyclePolicy,
    handler: (ctx, { params: { policy_id: id } }) => service.get(ctx, id),
  }),
  one.patch({
    summary: 'Rename, pause or resume a lifecycle policy',
    body: UpdateLifecyclePolicy,
    response: LifecyclePolicy,
    handler: (ctx, { params: { policy_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete a lifecycle policy; its snapshots stay',
    status: 204,
    handler: (ctx, { params: { policy_id: id } }) => service.delete(ctx, id),
  }),
  one.at('add_volumes_to_policy').put({
    operationId: 'addVolumesToLifecyclePolicy',
    summary: 'Add volumes to a lifecycle policy',
    body: PolicyVolumes,
    response: LifecyclePolicy,
    handler: (ctx, { params: { policy_id: id }, body }) => service.addVolumes(ctx, id, body),
  }),
  one.at('remove_volumes_from_policy').put({
    operationId: 'removeVolumesFromLifecyclePolicy',
    summary: 'Remove volumes from a lifecycle policy; their snapshots stay',
    body: PolicyVolumes,
    response: LifecyclePolicy,
    handler: (ctx, { params: { policy_id: id }, body }) => service.removeVolumes(ctx, id, body),
  }),
  one.at('add_schedules').post({
    operationId: 'addSchedulesToLifecyclePolicy',
    summary: 'Add schedules to a lifecycle policy',
    body: AddSchedules,
    rules: ({ schedules }, faults) => checkSchedules(schedules, faults),
    response: LifecyclePolicy,
    handler: (ctx, { params: { policy_id: id }, body }) => service.addSchedules(ctx, id, body),
  }),
  one.at('remove_schedules').post({
    operationId: 'removeSchedulesFromLifecyclePolicy',
    summary: 'Remove schedules from a lifecycle policy; their snapshots stay',
    body: RemoveSchedules,
    response: LifecyclePolicy,
    handler: (ctx, { params: { policy_id: id }, body }) => service.removeSchedules(ctx, id, body),
  }),
];
