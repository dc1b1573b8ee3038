import { Type } from '@sinclair/typebox';
import { StringEnum } from '../platform/http/schemas.ts';
import { Validator } from '../platform/http/validation.ts';
import { CURRENCIES, type PriceList } from '../platform/prices/prices.ts';
import { readJsonFile } from './json-file.ts';

const Rate = () => Type.Optional(Type.Number({ minimum: 0 }));
const Rates = () => Type.Optional(Type.Record(Type.String(), Type.Number({ minimum: 0 })));

const PriceListFile = Type.Object(
  {
    currency: StringEnum(CURRENCIES),
    tax_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    per_hour: Type.Object(
      {
        flavors: Rates(),
        load_balancer_flavors: Rates(),
        volume_gib: Rates(),
        snapshot_gib: Rate(),
        image_gib: Rate(),
        floating_ip: Rate(),
        external_ip: Rate(),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

/** Reads the file that VIRGA_PRICES names: `{"currency": "EUR", "per_hour": {"flavors": {"g1-standard-1-2": 0.01}}}`.
 *  @throws ConfigError naming every faulty field */
export const readPriceList = (file: string): PriceList =>
  readJsonFile(
    'VIRGA_PRICES',
    file,
    (content) => new Validator().check(PriceListFile, content, 'body') as PriceList,
  );
