import { type Static, Type } from '@sinclair/typebox';

export const Resize = Type.Object(
  { flavor: Type.String({ description: 'Name of the flavor to change to.' }) },
  { $id: 'ResizeLoadBalancer' },
);
export type Resize = Static<typeof Resize>;

export const Failover = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also from ERROR, which repairs it; otherwise from ACTIVE alone.',
      }),
    ),
  },
  { $id: 'FailOverLoadBalancer', default: {} },
);
export type Failover = Static<typeof Failover>;
