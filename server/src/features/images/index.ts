import type { Feature } from '../../platform/feature.ts';
import { imageRoutes } from './routes.ts';
import { type ImageDeps, ImageService } from './service.ts';
import { createImageTask, deleteImageTask } from './tasks.ts';

export type { ImageProvider } from './port.ts';
export { imageSource } from './source.ts';

export function images(deps: ImageDeps): Feature {
  return {
    name: 'images',
    needs: 'images',
    routes: imageRoutes(new ImageService(deps)),
    tasks: [createImageTask(deps), deleteImageTask(deps)],
    held: [{ table: 'images', becomes: `status = 'error'` }],
  };
}
