import { Type } from '@sinclair/typebox';
import { Nullable, StringEnum } from '../http/schemas.ts';
import { CURRENCIES, PRICE_STATUSES } from './prices.ts';

/** A price on the wire. */

const Amount = () => Nullable(Type.Number());

export const ItemPrice = Type.Object(
  {
    currency_code: Nullable(StringEnum(CURRENCIES)),
    price_per_hour: Amount(),
    price_per_month: Amount(),
    price_without_discount_per_month: Amount(),
    discount_percent: Amount(),
    tax_percent: Type.Number(),
    price_status: StringEnum(PRICE_STATUSES),
  },
  { $id: 'ItemPrice' },
);
