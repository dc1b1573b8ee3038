import { Type } from '@sinclair/typebox';
import { nullable, zuluTime } from '../../kernel/codecs.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Nullable, StringEnum, Uuid, ZuluTime } from '../../platform/http/schemas.ts';
import { listNodes } from '../../platform/nodes/store.ts';
import { listOwners } from '../../platform/owners/store.ts';

/** The processes that share the database, for those who run the cloud. */

const Node = Type.Object(
  {
    id: Uuid({ description: 'Of this start; the next start of the same node has another.' }),
    name: Type.String({
      description: 'The machine (`VIRGA_NODE`, or the host name) and the process on it: `one:4711`.',
    }),
    role: StringEnum(['all', 'api', 'worker'], { description: 'What it does: `all` is both others.' }),
    version: Type.String({ description: 'The release that it runs.' }),
    alive: Type.Boolean({ description: 'Whether it was heard of in the last 5 seconds.' }),
    serves: Type.Array(Type.String(), {
      description: 'Names of the regions of machines whose programs it works on.',
    }),
    started_at: ZuluTime({ description: 'When this process began.' }),
    seen_at: ZuluTime({ description: 'When it was heard of last.' }),
  },
  { $id: 'Node' },
);
const OwnedRegion = Type.Object(
  {
    region_id: Type.Integer(),
    region_name: Type.String({ description: 'What people call it.' }),
    node: Nullable(
      Type.String({ description: 'Where its programs run; null until somebody has served it.' }),
    ),
    served: Type.Boolean({ description: 'Whether its owner was heard of in the last 5 seconds.' }),
    seen_at: Nullable(ZuluTime(), { description: 'When its owner was heard of last.' }),
    fault: Nullable(Type.String({ description: 'Why its owner cannot serve it.' })),
  },
  { $id: 'OwnedRegion' },
);
const NodeList = Type.Object(
  {
    count: Type.Integer(),
    results: Type.Array(Node),
    regions: Type.Array(OwnedRegion, {
      description: 'Regions whose programs run on one machine, and who works on each.',
    }),
  },
  { $id: 'NodeList' },
);

async function readNodes({ db }: RequestContext) {
  const [nodes, owners] = await Promise.all([listNodes(db), listOwners(db)]);
  return {
    count: nodes.length,
    results: nodes.map(({ session, started_at, seen_at, ...node }) => ({
      id: session,
      ...node,
      serves: owners
        .filter(({ served, node: machine, pid }) => served && node.name === `${machine}:${pid}`)
        .map(({ region_name }) => region_name),
      started_at: zuluTime(started_at),
      seen_at: zuluTime(seen_at),
    })),
    regions: owners.map(({ region_id, region_name, node, served, renewed_at, fault }) => ({
      region_id,
      region_name,
      node,
      served,
      seen_at: nullable(zuluTime)(renewed_at),
      fault,
    })),
  };
}

export const nodeRoutes: readonly Route[] = [
  plainPath('Operator', '/virga/v1/nodes').get({
    summary: 'List the nodes, and who works on which region',
    description: 'Nodes that fell silent are listed for an hour; one that was stopped in order is not.',
    access: 'operate',
    response: NodeList,
    handler: (ctx) => readNodes(ctx),
  }),
];
