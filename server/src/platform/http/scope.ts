import { Forbidden, NotFound, UnknownRegion } from '../../kernel/errors.ts';
import { inRegion, type RegionScope, type RequestContext, type ScopeResolver } from './context.ts';
import type { Route } from './route.ts';

type Params = Readonly<Record<string, string>>;

/** Adds to a context what the path names. What belongs to another client is not found.
 *  @throws NotFound, Forbidden for a write in a region that is not ACTIVE, Conflict where there is too little room */
export async function resolveScope(
  ctx: RequestContext,
  { scope, spec }: Route,
  { params: rawParams, body }: { readonly params: unknown; readonly body?: unknown },
  scopes: ScopeResolver,
): Promise<RequestContext> {
  if (scope === 'none') return ctx;
  const params = rawParams as Params;
  if (scope === 'client') return { ...ctx, ...(await clientOf(ctx, params, scopes)) };
  const clientId = ctx.caller.role === 'operator' ? 'any' : ctx.caller.clientId;
  const [project, region] = await Promise.all([
    scopes.project(Number(params.project_id), clientId),
    scope === 'region' ? scopes.region(Number(params.region_id)) : undefined,
  ]);
  if (!project) throw new NotFound(`Project ${params.project_id} was not found`);
  if (scope === 'project') return Object.assign(ctx, { project });
  if (!region) throw new UnknownRegion(params.region_id);
  if (spec.method !== 'GET' && !spec.anyRegionState) requireActive(region);
  const scarce = spec.takes ? await scopes.requireRoom(region, spec.takes(body as never)) : [];
  return Object.assign(ctx, inRegion(project, region), { scarce });
}

/** @throws Forbidden where nothing can be changed */
export function requireActive({ name, state }: Pick<RegionScope, 'name' | 'state'>): void {
  if (state === 'ACTIVE') return;
  throw new Forbidden(`Region ${name} is ${state}; changes are possible in ACTIVE regions only`);
}

async function clientOf(
  ctx: RequestContext,
  params: Params,
  scopes: ScopeResolver,
): Promise<{ clientId: number }> {
  const clientId = Number(params.clientId ?? params.client_id);
  const own = clientId === ctx.caller.clientId;
  const known = own || (ctx.caller.role === 'operator' && (await scopes.client(clientId)));
  if (!known) throw new NotFound(`Client ${clientId} was not found`);
  return { clientId };
}
