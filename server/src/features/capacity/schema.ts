import { Type } from '@sinclair/typebox';
import { RESOURCES } from '../../kernel/capacity.ts';
import { StringEnum, ZuluTime } from '../../platform/http/schemas.ts';

export const STATUSES = ['ok', 'low', 'full'] as const;

export const Capacity = Type.Object(
  {
    resource: StringEnum(RESOURCES),
    unit: StringEnum(['MiB', 'pieces'], { description: 'In which amounts are given.' }),
    used: Type.Integer({ description: 'By whoever it is, also by what is not of this cloud.' }),
    total: Type.Integer({ description: 'Of the machine, or of the ranges of the region.' }),
    free: Type.Integer({ description: '`total` without `used`.' }),
    warn_free: Type.Integer({ description: 'With this much free or less its `status` is `low`.' }),
    stop_free: Type.Integer({
      description:
        'With this much free or less nothing is created that needs it, and its `status` is `full`.',
    }),
    status: StringEnum(STATUSES),
    observed_at: ZuluTime({ description: 'When the node that works on the region looked.' }),
  },
  { $id: 'Capacity' },
);

export const CapacityList = Type.Object(
  {
    region_id: Type.Integer(),
    region_name: Type.String({ description: 'What people call it.' }),
    count: Type.Integer(),
    results: Type.Array(Capacity, { description: 'Empty where the provider of the region has no limits.' }),
  },
  { $id: 'CapacityList' },
);
