import { Type } from '@sinclair/typebox';
import { type Route, route } from '../../../platform/http/route.ts';
import { ListOf, Uuid } from '../../../platform/http/schemas.ts';
import { Tag, TagsPatch } from '../../../platform/http/tags.ts';
import { DdosProfile, DdosProfileInput } from '../schema-ddos.ts';
import * as service from './service.ts';

const one = '/virga/v1/loadbalancers/{load_balancer_id}';
const params = Type.Object({ load_balancer_id: Uuid() });
const tag = 'Operator';

const ReadOnlyTags = Type.Object(
  { tags: TagsPatch },
  {
    $id: 'ReadOnlyTags',
    description:
      'A merge patch over the read-only tags: null removes one, or all of them in place of the object.',
  },
);

export const operatorRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: `${one}/ddos_profile`,
    tag,
    operationId: 'setDdosProfile',
    summary: "Record the DDoS protection profile that a load balancer's users see",
    access: 'operate',
    params,
    body: DdosProfileInput,
    response: DdosProfile,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => service.setDdosProfile(ctx, id, body),
  }),
  route({
    method: 'DELETE',
    path: `${one}/ddos_profile`,
    tag,
    operationId: 'deleteDdosProfile',
    summary: 'Forget the DDoS protection profile of a load balancer',
    access: 'operate',
    params,
    status: 204,
    handler: (ctx, { params: { load_balancer_id: id } }) => service.clearDdosProfile(ctx, id),
  }),
  route({
    method: 'PATCH',
    path: `${one}/read_only_tags`,
    tag,
    operationId: 'setReadOnlyTags',
    summary: 'Change the tags of a load balancer that its users cannot change',
    access: 'operate',
    params,
    body: ReadOnlyTags,
    response: ListOf(Tag, 'TagList'),
    handler: (ctx, { params: { load_balancer_id: id }, body }) =>
      service.changeReadOnlyTags(ctx, id, body.tags),
  }),
];
