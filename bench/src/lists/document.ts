/** The lists of the API, as the OpenAPI document has them: operations that answer a count and results, or an array. */

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into where it is known to have something
type Document = any;

export interface Parameter {
  readonly name: string;
  /** Values that the document names; none: any of a kind. */
  readonly values: readonly string[];
  readonly type: string;
}

export interface List {
  readonly id: string;
  readonly path: string;
  readonly inPath: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Whether it has pages. */
  readonly paged: boolean;
  readonly operator: boolean;
}

export function listsOf(document: Document): readonly List[] {
  const resolve = (value: Document): Document =>
    value?.$ref === undefined
      ? value
      : value.$ref
          .slice(2)
          .split('/')
          .reduce((inside: Document, key: string) => inside[key], document);
  const isList = (operation: Document): boolean => {
    const schema = resolve(operation?.responses?.['200']?.content?.['application/json']?.schema);
    const { properties = {} } = schema ?? {};
    const results = resolve(properties.results ?? properties.result);
    return schema?.type === 'array' || (properties.count !== undefined && results?.type === 'array');
  };
  const parameter = ({ name, schema }: Document): Parameter => {
    const own = resolve(schema);
    const one = own?.type === 'array' ? resolve(own.items) : own;
    const options: Document[] = one?.anyOf ?? [];
    const values = one?.enum ?? options.flatMap((each) => resolve(each).const ?? resolve(each).enum ?? []);
    return { name, values: values.map(String), type: one?.type ?? 'string' };
  };
  return Object.entries<Document>(document.paths).flatMap(([path, { get: operation }]) => {
    if (!isList(operation)) return [];
    const parameters: Document[] = (operation.parameters ?? []).map(resolve);
    const query = parameters.filter((each) => each.in === 'query').map(parameter);
    return {
      id: operation.operationId,
      path,
      inPath: parameters.filter((each) => each.in === 'path').map((each) => each.name),
      parameters: query.filter(({ name }) => name !== 'limit' && name !== 'offset'),
      paged: query.some(({ name }) => name === 'limit'),
      operator: operation['x-roles']?.join() === 'operator',
    };
  });
}

export const isOrder = ({ name }: Parameter): boolean => ['order_by', 'sorting', 'ordering'].includes(name);
