import type { Feature } from '../../platform/feature.ts';
import { type FlavorDeps, flavorRoutes } from './routes.ts';

export { type Flavor, findFlavor, flavorsOffered, hardwareOf, noFlavor } from './catalogue.ts';
export { FlavorList, viewFlavor, viewPricedFlavor } from './views.ts';

export function flavors(deps: FlavorDeps): Feature {
  return { name: 'flavors', nouns: { flavors: 'Flavor' }, needs: 'kvm', routes: flavorRoutes(deps) };
}
