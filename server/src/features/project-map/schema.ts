import { Type } from '@sinclair/typebox';
import { Nullable, Uuid } from '../../platform/http/schemas.ts';

const Region = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ description: 'What people call it.' }),
    simulated: Type.Boolean({ description: 'Whether nothing of what it has is real.' }),
  },
  { $id: 'MapRegion' },
);
const Node = Type.Object(
  {
    kind: Type.String({ description: 'What it is: `load_balancer`, `pool`, `instance`.' }),
    id: Type.String({ description: 'Its id.' }),
    name: Type.String({ description: 'What people call it.' }),
    detail: Type.String({ description: 'A fact about it, for people.' }),
    region_id: Nullable(Type.Integer(), { description: 'Where it is; null: it is in no region.' }),
    status: Type.String({ description: 'How it is, as its own calls say it.' }),
    task_id: Nullable(Uuid(), { description: 'The task that works on it; null: none does.' }),
    part_of: Nullable(Type.String(), { description: 'The id of what it is a part of; null: of nothing.' }),
  },
  { $id: 'MapNode' },
);
const Edge = Type.Object(
  {
    from: Type.String({ description: 'The id of the one from which traffic goes.' }),
    to: Type.String({ description: 'The id of the one to which it goes.' }),
  },
  { $id: 'MapEdge' },
);

export const ProjectMap = Type.Object(
  {
    regions: Type.Array(Region, { description: 'All regions of the cloud.' }),
    nodes: Type.Array(Node, { description: 'At most 200 of each kind.' }),
    edges: Type.Array(Edge, { description: 'Between nodes that are shown.' }),
    truncated: Type.Array(Type.String(), { description: 'Kinds of which there are more.' }),
  },
  { $id: 'ProjectMap' },
);
