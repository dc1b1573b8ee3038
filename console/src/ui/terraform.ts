/** A resource of the infrastructure tool; nested objects are blocks, tags and `…_map` are maps. */
export function terraform(
  type: string,
  label: string | undefined,
  place: { readonly project: number; readonly region?: number },
  attributes: Readonly<Record<string, unknown>>,
): string {
  const region = place.region === undefined ? {} : { region_id: place.region };
  const name = (label ?? '').toLowerCase().replace(/[^a-z0-9_]+/g, '_') || 'this';
  const lines = linesOf({ project_id: place.project, ...region, ...attributes }, 1);
  return `resource "${type}" "${/^[a-z_]/.test(name) ? name : `_${name}`}" {\n${lines.join('\n')}\n}`;
}

function linesOf(attributes: Readonly<Record<string, unknown>>, depth: number): string[] {
  const pad = '  '.repeat(depth);
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined || value === null || value === '') return [];
    const blocks = Array.isArray(value) ? value : [value];
    if (blocks.length > 0 && blocks.every((one) => typeof one === 'object')) {
      if (key.endsWith('_map') || key === 'tags')
        return [`${pad}${key} = {`, ...linesOf(value as never, depth + 1), `${pad}}`];
      return blocks.flatMap((one) => [`${pad}${key} {`, ...linesOf(one as never, depth + 1), `${pad}}`]);
    }
    return [`${pad}${key} = ${JSON.stringify(value)}`];
  });
}
