/** Which fields of a request are at fault, in whichever form the API says so. */
export type FaultyFields = Readonly<Record<string, readonly string[]>>;

export function fieldsOf(body: Readonly<Record<string, unknown>>): FaultyFields {
  if (isRecord(body.invalid_fields)) return body.invalid_fields as FaultyFields;
  if (Array.isArray(body.errors)) return fieldsOfProblem(body.errors);
  return typeof body.error === 'string' ? fieldsOfSentence(body.error) : {};
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function fieldsOfProblem(errors: readonly unknown[]): FaultyFields {
  const fields: Record<string, string[]> = {};
  for (const item of errors) {
    if (!isRecord(item) || !Array.isArray(item.loc)) continue;
    const name = item.loc.slice(1).join('.');
    fields[name] = [...(fields[name] ?? []), String(item.detail)];
  }
  return fields;
}

/** Storages say it in one text: `name: is required. size: must be 1 or more`. */
function fieldsOfSentence(text: string): FaultyFields {
  const parts = text.split(/(?:^|\. )(\w+(?:\.\w+)*): /);
  if (parts[0] !== '') return {};
  const fields: Record<string, string[]> = {};
  for (let at = 1; at < parts.length; at += 2) fields[parts[at] ?? ''] = [parts[at + 1] ?? ''];
  return fields;
}
