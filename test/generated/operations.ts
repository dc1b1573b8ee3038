import { isForTokens } from '../../server/src/platform/auth/roles.ts';
import type { Route } from '../../server/src/platform/http/route.ts';
import { NOWHERE } from '../harness/project.ts';
import type { Caller, TestServer } from '../harness/server.ts';
import { readTables, usedTables } from '../harness/used-tables.ts';

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

/** Tables that any call may touch: tokens note when they were used, limits count what was refused, and nodes say that
 *  they are alive. */
const TOUCHED = new Set(['api_tokens', 'rate_limits', 'known_sources', 'request_counts', 'nodes']);

/** Changes when a row of any other table of ours is added, written or deleted, even if it says the same as before. */
export async function fingerprint({ db }: TestServer): Promise<string> {
  const tables = (await usedTables(db)).filter((table) => !TOUCHED.has(table));
  const rows = await readTables<{ digest: string }>(
    db,
    tables,
    // A table without rows is as good as one that never had any.
    (name) =>
      `select '${name} ' || count(*) || ' ' || max(xmin::text::bigint) as digest from ${name} having count(*) > 0`,
  );
  return rows.map(({ digest }) => digest).join('\n');
}
