import { Type } from '@sinclair/typebox';
import { ListOf, Nullable, StringEnum } from '../../platform/http/schemas.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import { type Flavor, hardwareOf } from './catalogue.ts';

const shape = {
  flavor_id: Type.String(),
  flavor_name: Type.String(),
  architecture: Type.String(),
  os_type: Type.String(),
  vcpus: Type.Integer(),
  ram: Type.Integer({ description: 'MiB' }),
  disabled: Type.Boolean(),
  hardware_description: Type.Record(Type.String(), Type.String()),
};
const price = {
  currency_code: Nullable(Type.String()),
  price_per_hour: Nullable(Type.Number()),
  price_per_month: Nullable(Type.Number()),
  price_status: Nullable(StringEnum(['error', 'hide', 'show'])),
};

/** Prices are there when they were asked for. */
export const FlavorList = ListOf(
  Type.Object({ ...shape, ...Type.Partial(Type.Object(price)).properties }, { $id: 'Flavor' }),
  'FlavorList',
);

export function viewFlavor(flavor: Flavor) {
  return {
    flavor_id: flavor.id,
    flavor_name: flavor.id,
    architecture: flavor.architecture,
    os_type: flavor.osType,
    vcpus: flavor.vcpus,
    ram: flavor.ram,
    disabled: false,
    hardware_description: hardwareOf(flavor),
  };
}

/** With its price, which is hidden where the operator has no price list. */
export const viewPricedFlavor = (prices: Prices) => (flavor: Flavor) => ({
  ...prices.shown({ kind: 'instance', flavor: flavor.id }),
  ...viewFlavor(flavor),
});
