import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../platform/http/tags.ts';
import { CreateImage, Image, ImageList, ImageListQuery, ImageQuery, UpdateImage } from './schema.ts';
import type { ImageService } from './service.ts';

const tag = 'Images';
const all = '/cloud/v1/images/{project_id}/{region_id}';
const one = `${all}/{image_id}`;
const params = Type.Object({ ...RegionParams.properties, image_id: Uuid() });

export const imageRoutes = (service: ImageService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create an image of a volume',
    access: 'write',
    params: RegionParams,
    body: CreateImage,
    rules: givenTags,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: "List images: the region's and those of the project",
    access: 'read',
    params: RegionParams,
    query: ImageListQuery,
    response: ImageList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get an image',
    access: 'read',
    params,
    query: ImageQuery,
    response: Image,
    handler: (ctx, { params: { image_id: id } }) => service.get(ctx, id),
  }),
  regionRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change what is said about an image of the project',
    access: 'write',
    params,
    body: UpdateImage,
    rules: checkTagChanges,
    response: Image,
    handler: (ctx, { params: { image_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete an image of the project',
    access: 'write',
    params,
    response: TaskIds,
    handler: (ctx, { params: { image_id: id } }) => service.delete(ctx, id),
  }),
];
