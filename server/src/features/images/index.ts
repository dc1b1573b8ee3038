import { failedIn } from '../../platform/attention/failed.ts';
import type { DriftOptions } from '../../platform/drift/reconciler.ts';
import type { Feature } from '../../platform/feature.ts';
import { deprecatedImageRoutes } from './deprecated-routes.ts';
import { imageExamples } from './examples.ts';
import { imageRoutes } from './routes.ts';
import { type ImageDeps, ImageService } from './service.ts';
import { createImageTask, deleteImageTask, downloadImageTask } from './tasks.ts';
import { imageWatch } from './watch.ts';

export type { ImageProvider } from './port.ts';
export { addPublicImages } from './public.ts';
export { imageSource } from './source.ts';

export function images(deps: ImageDeps & DriftOptions): Feature {
  const service = new ImageService(deps);
  return {
    name: 'images',
    areas: { Images: 'What volumes can be made from: systems ready to boot, and copies of volumes.' },
    nouns: { images: 'Image' },
    examples: imageExamples,
    needs: 'images',
    attention: failedIn('image', 'images'),
    searched: [{ kind: 'image', table: 'images', status: 's.status', tags: true }],
    routes: [...imageRoutes(service), ...deprecatedImageRoutes(service)],
    background: [imageWatch(deps)],
    tasks: [createImageTask(deps), downloadImageTask(deps), deleteImageTask(deps)],
    held: [{ table: 'images', becomes: `status = 'error'` }],
  };
}
