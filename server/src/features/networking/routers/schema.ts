import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IpAddress,
  IpNetwork,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  SCOPE,
  TIMES,
  Uuid,
} from '../../../platform/http/schemas.ts';

const Assignment = Type.Object({ ip_address: IpAddress(), subnet_id: Uuid() });
const Route = Type.Object({ destination: IpNetwork(), nexthop: IpAddress() });

export const Router = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    name: Type.String(),
    status: Type.String(),
    distributed: Type.Boolean(),
    external_gateway_info: Nullable(
      Type.Object({
        network_id: Uuid(),
        enable_snat: Type.Boolean(),
        external_fixed_ips: Type.Array(Assignment),
      }),
      { default: null },
    ),
    interfaces: Type.Array(
      Type.Object({
        port_id: Uuid(),
        network_id: Uuid(),
        mac_address: Nullable(Type.String(), { default: null }),
        ip_assignments: Type.Array(Assignment),
      }),
    ),
    routes: Type.Array(Route),
    task_id: Nullable(Uuid()),
    creator_task_id: Nullable(Uuid(), { default: null }),
    ...TIMES,
  },
  { $id: 'Router' },
);
export const RouterList = ListOf(Router, 'RouterList');

const enable_snat = { type: 'boolean', default: true };
const manual = {
  $id: 'ManualRouterGateway',
  type: 'object',
  required: ['network_id'],
  properties: {
    type: { type: 'string', const: 'manual', default: 'manual' },
    network_id: { type: 'string', format: 'uuid' },
    enable_snat,
  },
};
const byDefault = {
  $id: 'DefaultRouterGateway',
  type: 'object',
  properties: { type: { type: 'string', const: 'default', default: 'default' }, enable_snat },
};

interface ManualGateway {
  readonly type?: 'manual';
  readonly network_id: string;
  readonly enable_snat?: boolean;
}
/** Without a network: the region's own. */
export type GatewayInput =
  | ManualGateway
  | { readonly type?: 'default'; readonly enable_snat?: boolean; readonly network_id?: undefined };

const MOST = 50;

export const CreateRouter = Type.Object(
  {
    name: Name(),
    external_gateway_info: Defaulted(
      Type.Unsafe<GatewayInput | null>({
        anyOf: [manual, byDefault, { type: 'null' }],
        default: null,
      }),
    ),
    interfaces: Type.Optional(
      Nullable(
        Type.Array(
          Type.Object({
            type: Type.Optional(Type.Literal('subnet', { default: 'subnet' })),
            subnet_id: Uuid(),
          }),
          { maxItems: MOST },
        ),
        { default: null },
      ),
    ),
    routes: Defaulted(Nullable(Type.Array(Route, { maxItems: MOST }), { default: null })),
  },
  { $id: 'CreateRouter' },
);
export type CreateRouter = Static<typeof CreateRouter>;

/** For older clients null is as good as absent: what is not given stays. */
export const OlderUpdateRouter = Type.Object(
  {
    name: Type.Optional(Nullable(Name(), { default: null })),
    external_gateway_info: Type.Optional(
      Type.Unsafe<ManualGateway | null>({ anyOf: [manual, { type: 'null' }], default: null }),
    ),
    routes: CreateRouter.properties.routes,
  },
  { $id: 'OlderUpdateRouter' },
);
export type OlderUpdateRouter = Static<typeof OlderUpdateRouter>;

export const UpdateRouter = Type.Object(
  {
    name: Type.Optional(Name()),
    external_gateway_info: Type.Optional(
      Type.Unsafe<ManualGateway | null>({ anyOf: [manual, { type: 'null' }] }),
    ),
    routes: Type.Optional(Type.Array(Route, { maxItems: MOST })),
  },
  { $id: 'UpdateRouter' },
);
export type UpdateRouter = Static<typeof UpdateRouter>;

export const AttachSubnet = Type.Object(
  {
    subnet_id: Uuid(),
    ip_address: Type.Optional(
      IpAddress({
        description: "Default: the subnet's gateway, or any free address when another router has that.",
      }),
    ),
  },
  { $id: 'AttachSubnet' },
);
export type AttachSubnet = Static<typeof AttachSubnet>;

export const DetachSubnet = Type.Object({ subnet_id: Uuid() }, { $id: 'DetachSubnet' });

export const RouterListQuery = ListQuery({ name: Type.Optional(Type.String()), name__contains: namePart() });
export type RouterListQuery = Static<typeof RouterListQuery>;
