type Json = Record<string, unknown>;
type MeaningOf = (name: string, scope: 'field' | 'parameter') => string | undefined;

/** Says of each field and parameter of a part of the document what it means, where that is not said, and what it is by
 *  default. Changes the part. */
export function explain(part: unknown, meaningOf: MeaningOf): void {
  if (Array.isArray(part)) for (const item of part) explain(item, meaningOf);
  if (!isObject(part)) return;
  if (isObject(part.properties)) {
    for (const [name, schema] of Object.entries(part.properties)) {
      if (isObject(schema)) describe(schema, name, schema.default, meaningOf);
    }
  }
  if (typeof part.in === 'string' && typeof part.name === 'string' && isObject(part.schema)) {
    describe(part, part.name, part.schema.default, meaningOf);
  }
  for (const value of Object.values(part)) explain(value, meaningOf);
}

function describe(target: Json, name: string, preset: unknown, meaningOf: MeaningOf): void {
  const scope = 'in' in target ? 'parameter' : 'field';
  const own = typeof target.description === 'string' ? target.description : meaningOf(name, scope);
  if (own === undefined) return;
  const isSaid = preset === undefined || preset === null || own.includes('Default:');
  target.description = isSaid ? own : `${own.replace(/([^.])$/, '$1.')} Default: ${JSON.stringify(preset)}.`;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
