/** The project and region that a page is about. */
export interface Scope {
  readonly project: number;
  readonly region: number;
}

/** The address of a page in a scope: `pathIn(scope, 'load-balancers', id)`. */
export function pathIn(scope: Scope, ...parts: readonly string[]): string {
  return ['', 'projects', scope.project, 'regions', scope.region, ...parts.map(encodeURIComponent)].join('/');
}

/** What calls below a project and a region need. */
export const pathParams = ({ project, region }: Scope) => ({ project_id: project, region_id: region });
