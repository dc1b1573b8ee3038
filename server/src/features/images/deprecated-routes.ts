import { metadataRoutes } from '../../platform/http/metadata-routes.ts';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds } from '../../platform/http/schemas.ts';
import { one } from './routes.ts';
import { DownloadImage } from './schema.ts';
import { checkDownload, type ImageService } from './service.ts';

/** Images from addresses, and what older clients call: tags by themselves. */

export const deprecatedImageRoutes = (service: ImageService): readonly Route[] => [
  regionPath('Images', '/cloud/v1/downloadimage/{project_id}/{region_id}').post({
    operationId: 'downloadImage',
    summary: 'Create an image from the file at an address',
    body: DownloadImage,
    rules: checkDownload,
    response: TaskIds,
    handler: (ctx, { body }) => service.download(ctx, body),
  }),
  ...metadataRoutes({
    noun: 'an image',
    at: one,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags_v2,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  }),
];
