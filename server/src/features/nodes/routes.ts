import { Type } from '@sinclair/typebox';
import { nullable, zuluTime } from '../../kernel/codecs.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Nullable, StringEnum, Uuid, ZuluTime } from '../../platform/http/schemas.ts';
import { listNodes } from '../../platform/nodes/store.ts';
import { MOST_UNSERVED, type UnservedSource } from '../../platform/owners/unserved.ts';
import { readServed } from './unserved.ts';

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
    not_served_count: Type.Integer({
      description: 'How many databases, storages and clusters of these regions do not serve.',
    }),
    started_at: ZuluTime({ description: 'When this process began.' }),
    seen_at: ZuluTime({ description: 'When it was heard of last.' }),
  },
  { $id: 'Node' },
);
const NotServed = Type.Object(
  {
    kind: Type.String({ description: 'What it is: `object_storage`, `postgresql_cluster`.' }),
    id: Type.String(),
    name: Type.String(),
    client_id: Type.Integer({ description: 'Whose it is.' }),
    reason: Type.String({ description: 'Why it does not serve.' }),
  },
  { $id: 'NotServed' },
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
    not_served_count: Type.Integer({
      description: 'How many of its databases, storages and clusters do not serve.',
    }),
    not_served: Type.Array(NotServed, { description: `Which, at most ${MOST_UNSERVED} of each kind.` }),
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

async function readNodes({ db }: RequestContext, sources: readonly UnservedSource[]) {
  const [nodes, regions] = await Promise.all([listNodes(db), readServed(db, sources)]);
  return {
    count: nodes.length,
    results: nodes.map(({ session, started_at, seen_at, ...node }) => {
      const own = regions.filter(({ owner }) => owner.served && node.name === `${owner.node}:${owner.pid}`);
      return {
        id: session,
        ...node,
        serves: own.map(({ owner }) => owner.region_name),
        not_served_count: own.reduce((sum, { count }) => sum + count, 0),
        started_at: zuluTime(started_at),
        seen_at: zuluTime(seen_at),
      };
    }),
    regions: regions.map(({ owner, unserved, count }) => ({
      region_id: owner.region_id,
      region_name: owner.region_name,
      node: owner.node,
      served: owner.served,
      seen_at: nullable(zuluTime)(owner.renewed_at),
      fault: owner.fault,
      not_served_count: count,
      not_served: unserved.map(({ region_id: _, count: _all, ...each }) => each),
    })),
  };
}

export const nodeRoutes = (sources: readonly UnservedSource[]): readonly Route[] => [
  plainPath('Operator', '/virga/v1/nodes').get({
    summary: 'List the nodes, and who works on which region',
    description:
      'Nodes that fell silent are listed for an hour; one that was stopped in order is not. Of each region of a machine it says what does not serve, and why.',
    access: 'operate',
    response: NodeList,
    handler: (ctx) => readNodes(ctx, sources),
  }),
];
