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

const addresses = (description: string) => Type.Integer({ minimum: 0, description });

export const AddressRange = Type.Object(
  {
    range: Type.String({ description: 'The network in CIDR notation.' }),
    interface: Type.String({ description: 'Of the machine that serves the region.' }),
    exclude: Type.Array(Type.String(), { description: 'Addresses and networks of it that are never given.' }),
    used: addresses('How many of its addresses something in the region has.'),
    free: addresses('How many can still be given.'),
    excluded: addresses(
      'How many are never given: those in `exclude`, and the first and the last one of an IPv4 network.',
    ),
  },
  { $id: 'AddressRange' },
);

export const AddressRangeList = Type.Object(
  {
    region_id: Type.Integer(),
    region_name: Type.String({ description: 'What people call it.' }),
    count: Type.Integer(),
    results: Type.Array(AddressRange, {
      description: 'Empty where addresses are loopback, or those of another cloud.',
    }),
  },
  { $id: 'AddressRangeList' },
);
