import { type Static, Type } from '@sinclair/typebox';

export const ServiceStatus = Type.Object(
  {
    is_initialized: Type.Boolean({
      description: 'true: activated for the project in the region; false: not',
    }),
  },
  { $id: 'ManagedPostgresqlStatus' },
);
export type ServiceStatus = Static<typeof ServiceStatus>;
