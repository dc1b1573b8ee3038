import { isForTokens } from '../../server/src/platform/auth/roles.ts';
import type { Route } from '../../server/src/platform/http/route.ts';
import { NOWHERE } from '../harness/project.ts';
import type { Caller, TestServer } from '../harness/server.ts';

/** Ways to call any operation, made from the route table alone, so that new operations are covered by themselves. */

export type Spec = Route['spec'];

export const nameOf = (spec: Spec) => `${spec.method} ${spec.path}`;

/** Operations that need a token. */
export function guarded(routes: readonly Route[]): readonly Route[] {
  return routes.filter(({ spec }) => typeof spec.access !== 'object');
}

/** Streams have no end to wait for. */
export const isStream = (spec: Spec) => /\/stream$/.test(spec.path);

/** A path with its parameters filled in: the given ids, else something that exists nowhere. */
export function pathOf(spec: Spec, ids: Readonly<Record<string, string | number>>): string {
  const properties: Record<string, { type?: string; format?: string }> = spec.params?.properties ?? {};
  return spec.path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const given = ids[name];
    if (given !== undefined) return String(given);
    return properties[name]?.type === 'integer' ? '999999' : NOWHERE;
  });
}

/** Ids in a path that belong to the first client. */
export const OWN_IDS = { project_id: 1, region_id: 2, clientId: 1, client_id: 1 } as const;

/** A caller whose role allows the operation. */
export function allowedCaller({ access }: Spec): Caller {
  return typeof access !== 'object' && isForTokens(access) ? 'operator' : 'Administrators';
}

/** By server; its tables do not change. */
const statements = new WeakMap<TestServer, Promise<string>>();

/** Every row of every table of ours but those that any call may touch: tokens note when they were used, limits count
 *  what was refused, nodes say that they are alive, and counts of tasks are folded from time to time. */
export async function fingerprint(server: TestServer): Promise<string> {
  const known = statements.get(server) ?? digestOfAll(server);
  statements.set(server, known);
  const rows = await server.db.named<{ digest: string }>('test_digest', await known, []);
  return rows.map(({ digest }) => digest).join('\n');
}

/** One statement for all tables. */
async function digestOfAll(server: TestServer): Promise<string> {
  const tables = await server.db.named<{ name: string }>(
    'test_table_names',
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
        and table_name not in ('api_tokens', 'rate_limits', 'known_sources', 'request_counts', 'task_counts', 'task_count_changes', 'nodes') and table_name not like 'kysely%' order by 1`,
    [],
  );
  return tables
    .map(
      ({ name }) =>
        `select '${name}=' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from ${name} t`,
    )
    .join(' union all ');
}
