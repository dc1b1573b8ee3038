import type { Feature } from '../../platform/feature.ts';
import { attentionRoutes } from './routes.ts';

/** @param others what may need attention: what each says in `attention` */
export function attention(others: readonly Feature[]): Feature {
  return {
    name: 'attention',
    areas: { Attention: 'What somebody should look at.' },
    routes: attentionRoutes(others.flatMap(({ attention: source }) => source ?? [])),
  };
}
