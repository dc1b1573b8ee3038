import { Type } from '@sinclair/typebox';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { ListQuery, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../platform/http/tags.ts';
import { CreateImage, Image, ImageList, ImageListQuery, ImageQuery, UpdateImage } from './schema.ts';
import type { ImageService } from './service.ts';

const all = regionPath('Images', '/cloud/v1/images/{project_id}/{region_id}');
export const one = all.at('{image_id}', { image_id: Uuid() });

export const imageRoutes = (service: ImageService): readonly Route[] => [
  all.post({
    summary: 'Create an image of a volume',
    body: CreateImage,
    rules: givenTags,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: "List images: the region's and those of the project",
    query: ImageListQuery,
    response: ImageList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  regionPath('Images', '/cloud/v1/projectimages/{project_id}/{region_id}').get({
    summary: 'List the images of the project',
    query: ListQuery({ include_prices: Type.Optional(Type.Boolean({ default: false })) }),
    response: ImageList,
    handler: (ctx, { query }) => service.list(ctx, { ...query, visibility: 'shared' }),
  }),
  one.get({
    summary: 'Get an image',
    query: ImageQuery,
    response: Image,
    handler: (ctx, { params: { image_id: id } }) => service.get(ctx, id),
  }),
  one.patch({
    summary: 'Change what is said about an image of the project',
    body: UpdateImage,
    rules: checkTagChanges,
    response: Image,
    handler: (ctx, { params: { image_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete an image of the project',
    response: TaskIds,
    handler: (ctx, { params: { image_id: id } }) => service.delete(ctx, id),
  }),
];
