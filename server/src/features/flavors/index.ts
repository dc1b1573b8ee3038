export { FLAVORS, type Flavor, findFlavor, hardwareOf } from './catalogue.ts';
export { FlavorList, pricedFlavors } from './views.ts';
