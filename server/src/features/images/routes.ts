import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../platform/http/schemas.ts';
import { Image, ImageList, ImageListQuery, ImageQuery } from './schema.ts';
import type { ImageService } from './service.ts';

const tag = 'Images';
const all = '/cloud/v1/images/{project_id}/{region_id}';
const one = `${all}/{image_id}`;
const params = Type.Object({ ...RegionParams.properties, image_id: Uuid() });

export const imageRoutes = (service: ImageService): readonly Route[] => [
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
];
