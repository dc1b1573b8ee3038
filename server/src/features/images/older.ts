import { metadataRoutes } from '../../platform/http/metadata-routes.ts';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../platform/http/schemas.ts';
import { DownloadImage } from './schema.ts';
import { checkDownload, type ImageService } from './service.ts';

/** Images from addresses, and what older clients call: tags by themselves. */

const tag = 'Images';

export const olderImageRoutes = (service: ImageService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: '/cloud/v1/downloadimage/{project_id}/{region_id}',
    tag,
    operationId: 'downloadImage',
    summary: 'Create an image from the file at an address',
    access: 'write',
    params: RegionParams,
    body: DownloadImage,
    rules: checkDownload,
    response: TaskIds,
    handler: (ctx, { body }) => service.download(ctx, body),
  }),
  ...metadataRoutes({
    tag,
    noun: 'an image',
    path: '/cloud/v1/images/{project_id}/{region_id}/{image_id}',
    tags: async (ctx, id) => (await service.get(ctx, id)).tags_v2,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  }),
];
