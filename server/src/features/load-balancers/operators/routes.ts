import { Type } from '@sinclair/typebox';
import { plainPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { ListOf, Uuid } from '../../../platform/http/schemas.ts';
import { Tag, TagsPatch } from '../../../platform/http/tags.ts';
import { DdosProfile, DdosProfileInput } from '../schema-ddos.ts';
import * as service from './service.ts';

const one = plainPath('Operator', '/virga/v1/loadbalancers/{load_balancer_id}', { load_balancer_id: Uuid() });

const ReadOnlyTags = Type.Object(
  { tags: TagsPatch },
  {
    $id: 'ReadOnlyTags',
    description:
      'A merge patch over the read-only tags: null removes one, or all of them in place of the object.',
  },
);

export const operatorRoutes: readonly Route[] = [
  one.at('ddos_profile').put({
    operationId: 'setDdosProfile',
    summary: "Record the DDoS protection profile that a load balancer's users see",
    access: 'operate',
    body: DdosProfileInput,
    response: DdosProfile,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => service.setDdosProfile(ctx, id, body),
  }),
  one.at('ddos_profile').delete({
    operationId: 'deleteDdosProfile',
    summary: 'Forget the DDoS protection profile of a load balancer',
    access: 'operate',
    status: 204,
    handler: (ctx, { params: { load_balancer_id: id } }) => service.clearDdosProfile(ctx, id),
  }),
  one.at('read_only_tags').patch({
    operationId: 'setReadOnlyTags',
    summary: 'Change the tags of a load balancer that its users cannot change',
    access: 'operate',
    body: ReadOnlyTags,
    response: ListOf(Tag, 'TagList'),
    handler: (ctx, { params: { load_balancer_id: id }, body }) =>
      service.changeReadOnlyTags(ctx, id, body.tags),
  }),
];
