import type { Feature } from '../../platform/feature.ts';
import type { ImageProvider } from './port.ts';
import { imageRoutes } from './routes.ts';
import { ImageService } from './service.ts';

export type { ImageProvider } from './port.ts';
export { imageSource } from './source.ts';

export interface ImageDeps {
  providerOf(regionId: number): ImageProvider | undefined;
}

export function images(_deps: ImageDeps): Feature {
  return { name: 'images', needs: 'images', routes: imageRoutes(new ImageService()) };
}
