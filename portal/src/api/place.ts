/** The project and region that a page is about. */
export interface Place {
  readonly project: number;
  readonly region: number;
}

/** The address of a page in a place: `pathIn(place, 'load-balancers', id)`. */
export function pathIn(place: Place, ...parts: readonly string[]): string {
  return ['', 'projects', place.project, 'regions', place.region, ...parts.map(encodeURIComponent)].join('/');
}

/** What calls below a project and a region need. */
export const pathParams = ({ project, region }: Place) => ({ project_id: project, region_id: region });
