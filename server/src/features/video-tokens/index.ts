import type { Feature } from '../../platform/feature.ts';
import { videoTokenRoutes } from './routes.ts';
import type { VideoTokenSettings } from './service.ts';

export type { VideoTokenSettings } from './service.ts';

/** @param settings undefined: the service answers 503 */
export function videoTokens(settings: VideoTokenSettings | undefined): Feature {
  return {
    name: 'video-tokens',
    areas: { Video: 'Signed addresses of protected video.' },
    routes: videoTokenRoutes(settings),
  };
}
