import { Type } from '@sinclair/typebox';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key, StringEnum, Uuid, ZuluTime } from '../../platform/http/schemas.ts';
import { FaultRule } from './rules.ts';
import { checkNewFault, type SimulationService } from './service.ts';

const kind = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'What is struck, such as `create_loadbalancer`.',
  });

const NewFault = Type.Object(
  { kind: kind(), ...FaultRule.properties },
  { additionalProperties: false, $id: 'NewSimulatedFault' },
);
const Fault = Type.Object(
  {
    id: Uuid(),
    source: StringEnum(['file', 'call']),
    kind: kind(),
    ...FaultRule.properties,
    attempts: Type.Integer({
      description: 'Operations that were counted; a rate, and a fault that strikes all, count none.',
    }),
    struck: Type.Integer({ description: 'How many of them were struck.' }),
    created_at: ZuluTime(),
  },
  { $id: 'SimulatedFault' },
);
const Faults = Type.Object(
  {
    count: Type.Integer(),
    results: Type.Array(Fault),
    kinds: Type.Array(Type.String(), { description: 'What may be struck at all.' }),
  },
  { $id: 'SimulatedFaults' },
);

const access = 'operate';
const path = plainPath('Operator', '/virga/v1/simulation/{region_id}/faults', { region_id: Key() });

export const simulationRoutes = (service: SimulationService): readonly Route[] => [
  path.get({
    operationId: 'listSimulatedFaults',
    summary: 'List the faults of a simulated region',
    description:
      'Those of the file of regions and those that operators have set, with what they have done so far.',
    access,
    response: Faults,
    handler: (ctx, { params }) => service.list(ctx, params.region_id),
  }),
  path.post({
    operationId: 'setSimulatedFault',
    summary: 'Let work of a kind fail or take longer in a simulated region',
    description:
      'Counts for work that begins from now on, until it is cleared. Without rate, first, every or next it strikes all work of the kind.',
    access,
    body: NewFault,
    rules: checkNewFault,
    status: 201,
    response: Fault,
    handler: (ctx, { params, body }) => service.add(ctx, params.region_id, body),
  }),
  path.delete({
    operationId: 'clearSimulatedFaults',
    summary: 'Clear all faults of a simulated region',
    description: 'Those of the file come back with the next start that reads it.',
    access,
    status: 204,
    handler: (ctx, { params }) => service.clear(ctx, params.region_id),
  }),
  path
    .at('{fault_id}', {
      region_id: Key(),
      fault_id: Uuid({ description: 'The fault, as the list names it.' }),
    })
    .delete({
      operationId: 'clearSimulatedFault',
      summary: 'Clear a fault of a simulated region',
      access,
      status: 204,
      handler: (ctx, { params }) => service.clear(ctx, params.region_id, params.fault_id),
    }),
];
