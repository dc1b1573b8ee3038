import { BadRequest, Forbidden, Locked, NotFound, NotOffered, UnknownRegion } from '../../kernel/errors.ts';
import { type Db, sqlStateOf } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { ScopeResolver } from './context.ts';

export interface Surroundings {
  readonly db: Db;
  readonly scopes: ScopeResolver;
  /** Ids that the path names. */
  readonly params: Readonly<Record<string, string>>;
  /** What a region must have for the operation: a port or capability. */
  readonly needs: string | undefined;
}

/** Says with an error what only its surroundings know: the kind of task that holds something, where a thing was looked
 *  for, which regions there are, and which have what this one lacks. */
export async function inPlainWords(error: unknown, surroundings: Surroundings): Promise<unknown> {
  const { db, scopes, params, needs } = surroundings;
  if (error instanceof Locked) return naming(db, error);
  if (error instanceof UnknownRegion) {
    const all = await scopes.regions().catch(() => []);
    const there = all.map(labelOf).join(', ') || 'none';
    return new NotFound(`${error.message}; there ${all.length === 1 ? 'is' : 'are'} ${there}`);
  }
  if (error instanceof NotOffered && needs !== undefined) return withRegions(error, scopes, needs);
  if (error instanceof NotFound) return withScope(error, params);
  if (sqlStateOf(error) === UNTRANSLATABLE) return new BadRequest(NOT_STORED);
  return error;
}

/** SQLSTATE of a character that the encoding of the database lacks; new databases are in UTF8. */
const UNTRANSLATABLE = '22P05';
const NOT_STORED =
  'A character of the request does not exist in the encoding of the database; ' +
  'leave it out, or ask the operator to move Virga to a database in UTF8';

/** Says in which regions there is what one lacks. */
async function withRegions(error: NotOffered, scopes: ScopeResolver, needs: string): Promise<Forbidden> {
  const all = await scopes.regions().catch(() => []);
  const has = await Promise.all(all.map(({ id }) => scopes.offers(id, needs).catch(() => false)));
  const there = all.filter((_region, i) => has[i]).map(labelOf);
  const advice = there.length === 0 ? 'no region has any' : `choose region ${there.join(' or ')}`;
  const message = error.message.replace(/\.$/, '');
  return new Forbidden(`${message}; ${advice}`);
}

const labelOf = ({ id, name }: { readonly id: number; readonly name: string }) => `${id} (${name})`;

/** Says what kind of task holds what the caller wants. */
async function naming(db: Db, error: Locked): Promise<Locked> {
  const [task] = await db
    .rows<{ type: string }>(sql`select type from tasks where id = ${error.taskId}`)
    .catch(() => []);
  return task ? new Locked(error.what, error.taskId, task.type) : error;
}

/** Most things that are not found are in another project or region. */
function withScope(error: NotFound, { project_id, region_id }: Surroundings['params']): NotFound {
  if (project_id === undefined || !/ (was|were) not found$/.test(error.message)) return error;
  if (error.message.startsWith('Project ')) return error;
  const region = region_id === undefined ? '' : ` and region ${region_id}`;
  return new NotFound(`${error.message} in project ${project_id}${region}`);
}
