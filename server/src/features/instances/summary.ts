import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../platform/http/context.ts';
import { Name, Nullable, SCOPE, Uuid, ZuluTime } from '../../platform/http/schemas.ts';
import { Tag } from '../../platform/http/tags.ts';
import type { InstanceSummaries } from '../networking/floating-ips/index.ts';
import { showInstances } from './list-store.ts';
import { Instance } from './schema.ts';
import { viewInstance } from './view.ts';

const { addresses, status, vm_state } = Instance.properties;

/** The summary of the virtual machine that a floating IP leads to. */
const FloatingIpInstance = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    instance_description: Nullable(Type.String()),
    ...SCOPE,
    status,
    vm_state,
    task_state: Nullable(Type.String()),
    flavor: Type.Object({
      flavor_id: Type.String(),
      flavor_name: Type.String(),
      ram: Type.Integer(),
      vcpus: Type.Integer(),
    }),
    addresses,
    security_groups: Type.Array(Type.Object({ name: Name() })),
    ssh_key_name: Nullable(Type.String()),
    volumes: Type.Array(Type.Object({ id: Type.String(), delete_on_termination: Type.Boolean() })),
    tags: Type.Array(Tag),
    creator_task_id: Type.String(),
    task_id: Nullable(Type.String()),
    created_at: ZuluTime(),
  },
  { $id: 'FloatingIpInstance' },
);

/** InstanceFixture as lists of floating IPs show them. */
export const instanceSummaries: InstanceSummaries = {
  schema: FloatingIpInstance,
  async views(ctx: RegionContext, ids: readonly string[]) {
    const rows = await showInstances(ctx.db, ids);
    return new Map(rows.map((row) => [row.id, viewInstance(row, ctx.region.name)]));
  },
};
