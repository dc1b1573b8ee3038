import { ACCESSES } from '../auth/roles.ts';
import type { Route, Scope } from './route.ts';

const NEEDED: Readonly<Record<Scope, readonly RegExp[]>> = {
  none: [],
  client: [/\{client_?[iI]d\}/],
  project: [/\{project_id\}/],
  region: [/\{project_id\}/, /\{region_id\}/],
};

/** Refuses to start with a route that forgot its permission, its scope or the shape of its path. */
export function checkRoutes(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const { scope, spec } of routes) {
    const name = `${spec.method} ${spec.path}`;
    const { access } = spec;
    const declared = typeof access === 'object' ? access.public.length > 0 : ACCESSES.includes(access);
    if (!declared) throw new Error(`${name} has neither a permission nor a reason to be public`);
    for (const part of NEEDED[scope])
      if (!part.test(spec.path)) throw new Error(`${name} is not a ${scope} route`);
    if (/\{\w+\}/.test(spec.path) && !spec.params) throw new Error(`${name} has no schema for its path`);
    if (seen.has(name)) throw new Error(`${name} is declared twice`);
    seen.add(name);
  }
}

/** The methods that do exist at a path. */
export function otherMethods(routes: readonly Route[], path: string): string[] {
  const requested = path.replace(/\/$/, '').split('/');
  const found = routes
    .filter(({ spec }) => matches(spec.path.split('/'), requested))
    .map(({ spec }) => spec.method);
  return [...new Set(found)].sort();
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false;
  return pattern.every((part, i) => part.startsWith('{') || part === path[i]);
}
