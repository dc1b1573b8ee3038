import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DIFFERENCES, type Difference } from './differences.ts';

/** The list of differences says what is so: of a field that is as it is described, it says nothing. */

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >;
}

const root = path.join(import.meta.dirname, '../..');
const document = JSON.parse(readFileSync(path.join(root, 'test/golden/golden/openapi.json'), 'utf8'));

const list = (value: unknown) => (value ?? []) as readonly Json[];

function resolved(schema: Json): Json {
  const reference = schema.$ref as string | undefined;
  if (reference === undefined) return schema;
  return resolved(
    reference
      .split('/')
      .slice(1)
      .reduce((node, key) => node[key], document),
  );
}

/** What a value may be: each of several kinds. */
function kindsOf(schema: Json): readonly Json[] {
  const own = resolved(schema);
  const several = [...list(own.anyOf), ...list(own.oneOf), ...list(own.allOf)];
  return [own, ...several.flatMap(kindsOf)];
}

const propertiesOf = (kinds: readonly Json[]) =>
  kinds.flatMap(({ properties }) => (properties ? [properties as Json] : []));

/** What may stand at a place such as `results[].type`; nothing: there is no such place. */
function within(kinds: readonly Json[], scope: string): readonly Json[] {
  return scope
    .split(/\.|(?=\[\])/)
    .filter(Boolean)
    .reduce<readonly Json[]>(
      (found, step) =>
        (step === '[]'
          ? found.flatMap(({ items }) => (items ? [items as Json] : []))
          : propertiesOf(found).flatMap((properties) => (properties[step] ? [properties[step] as Json] : []))
        ).flatMap(kindsOf),
      kinds,
    );
}

/** What may stand in a field of a call, such as `?limit` or `body.name`. */
function at(call: string, field: string): readonly Json[] {
  const [method = '', target = ''] = call.split(' ');
  const operation: Operation | undefined = document.paths[target]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${call} is not served`);
  const [, part = '', rest = ''] = /^(\?[^[]*|body|response)(.*)$/.exec(field) ?? [];
  if (part.startsWith('?')) {
    const parameter = operation.parameters?.find(
      ({ in: where, name }) => where === 'query' && name === part.slice(1),
    );
    return parameter ? within(kindsOf(parameter.schema), rest) : [];
  }
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const content = part === 'body' ? operation.requestBody?.content : answer?.content;
  const schema = Object.values(content ?? {})[0]?.schema;
  return schema ? within(kindsOf(schema), rest) : [];
}

const nameOf = (field: string) => field.split('.').at(-1) ?? '';
const parentOf = (field: string) => field.split('.').slice(0, -1).join('.');

/** Whether it is still different. */
function isDifferent(call: string, field: string, { is }: Difference): boolean {
  const kinds = at(call, field);
  if (is.kind === 'missing') return kinds.length === 0 && at(call, parentOf(field)).length > 0;
  if (kinds.length === 0) return false;
  switch (is.kind) {
    case 'required':
      return at(call, parentOf(field)).some(({ required }) =>
        (required as string[] | undefined)?.includes(nameOf(field)),
      );
    case 'no null':
      return kinds.every(({ type }) => ![type].flat().includes('null'));
    case 'any fields':
      return propertiesOf(kinds).every((properties) => Object.keys(properties).length === 0);
    case 'default':
      return kinds.map((kind) => kind.default).find((value) => value !== undefined) === is.served;
    case 'longest':
      return kinds.some(({ maxLength }) => maxLength === is.served);
    case 'fewer values': {
      const values = kinds.flatMap((kind) => (kind.enum as unknown[] | undefined) ?? []);
      return values.length > 0 && is.such.every((value) => !values.includes(value));
    }
  }
}

test('each difference is one', () => {
  const wrong = DIFFERENCES.flatMap((difference) =>
    difference.calls.flatMap((call) =>
      difference.fields
        .filter((field) => !isDifferent(call, field, difference))
        .map((field) => `${call} ${field}: ${difference.is.kind}`),
    ),
  );
  expect(wrong).toEqual([]);
});
