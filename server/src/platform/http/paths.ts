import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { ClientContext, ProjectContext, RegionContext, RequestContext } from './context.ts';
import {
  type CallSpec,
  declared,
  type Method,
  type Route,
  type RouteAccess,
  type Schema,
  type Scope,
} from './route.ts';
import { ProjectParams, RegionParams } from './schemas.ts';

/** Declares the route of a call. */
type Call<C, P extends Schema, A> = <
  Q extends Schema = undefined,
  B extends Schema = undefined,
  R extends Schema = undefined,
>(
  spec: CallSpec<C, P, Q, B, R> & A,
) => Route;

type Nothing = Record<never, never>;

/** A path of the API. What its calls have in common is said here, once: scope, tag and parameters. */
export interface RoutePath<C, P extends TProperties, A> {
  readonly path: string;
  readonly get: Call<C, TObject<P>, A>;
  readonly post: Call<C, TObject<P>, A>;
  readonly put: Call<C, TObject<P>, A>;
  readonly patch: Call<C, TObject<P>, A>;
  readonly delete: Call<C, TObject<P>, A>;
  /** A path below it: `one.at('attach')`, `all.at('{image_id}', { image_id: Uuid() })`. */
  at<X extends TProperties = Nothing>(below: string, params?: X): RoutePath<C, P & X, A>;
  /** The same path in another version of the API: `one.version(2)`. */
  version(version: number): RoutePath<C, P, A>;
}

/** Who may call it. Default: who may read for GET, who may write for the rest. */
type OptionalAccess = { readonly access?: RouteAccess };
type Access = { readonly access: RouteAccess };

export type RegionPath<P extends TProperties> = RoutePath<RegionContext, P, OptionalAccess>;

/** A path that concerns no client, project or region. */
export const plainPath = <P extends TProperties = Nothing>(tag: string, path: string, params?: P) =>
  routePath<RequestContext, P, Access>('none', tag, path, { ...params } as P);

/** A path with `{clientId}` or `{client_id}`. */
export const clientPath = <P extends TProperties>(tag: string, path: string, params: P) =>
  routePath<ClientContext, P, Access>('client', tag, path, params);

/** A path with `{project_id}`. */
export const projectPath = (tag: string, path: string) =>
  routePath<ProjectContext, typeof ProjectParams.properties, OptionalAccess>(
    'project',
    tag,
    path,
    ProjectParams.properties,
  );

/** A path with `{project_id}` and `{region_id}`.
 *  @param params what else it names: `{ image_id: Uuid() }` */
export const regionPath = <P extends TProperties = Nothing>(tag: string, path: string, params?: P) =>
  routePath<RegionContext, typeof RegionParams.properties & P, OptionalAccess>('region', tag, path, {
    ...RegionParams.properties,
    ...(params as P),
  });

function routePath<C, P extends TProperties, A>(
  scope: Scope,
  tag: string,
  path: string,
  properties: P,
): RoutePath<C, P, A> {
  const params = Object.keys(properties).length > 0 ? { params: Type.Object(properties) } : {};
  const call = (method: Method) => (spec: object) =>
    declared(scope, {
      access: method === 'GET' ? 'read' : 'write',
      ...(spec as CallSpec<never, Schema, Schema, Schema, Schema>),
      method,
      path,
      tag,
      ...params,
    });
  return {
    path,
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
    at: <X extends TProperties = Nothing>(below: string, more?: X) =>
      routePath<C, P & X, A>(scope, tag, `${path}/${below}`, { ...properties, ...(more as X) }),
    version: (version) => routePath(scope, tag, path.replace(/\/v\d+\//, `/v${version}/`), properties),
  };
}
