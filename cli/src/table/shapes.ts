/** What the command knows of the API: made from the OpenAPI document by `npm run generate`. */
export interface Table {
  readonly nouns: readonly NounRow[];
  readonly operations: readonly OperationRow[];
}

export interface NounRow {
  readonly noun: string;
  readonly group: string;
  readonly means: string;
}

export interface OperationRow {
  /** Name of the operation in the document. */
  readonly id: string;
  readonly noun: string;
  readonly verb: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly means: string;
  /** What stands behind the verb: parts of the path. */
  readonly args: readonly ArgumentRow[];
  readonly flags: readonly FlagRow[];
  /** For clients of former versions. */
  readonly old?: true;
  /** Data is lost, or traffic stops. */
  readonly risky?: true;
  /** The body is one JSON value, or it is too free for flags alone. */
  readonly body?: 'object' | 'any';
  /** The answer is text that goes on for as long as it is read. */
  readonly stream?: true;
}

export interface ArgumentRow {
  /** Of the parameter in the path. */
  readonly name: string;
  readonly kind: 'uuid' | 'integer' | 'string';
  /** The list in which a name is looked up, if ids are not what people know. */
  readonly list?: string;
}

export interface FlagRow {
  /** As the API calls it. */
  readonly name: string;
  readonly in: 'query' | 'body';
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'json' | 'pairs';
  readonly means: string;
  /** It can be given several times. */
  readonly many?: true;
  readonly needed?: true;
  readonly values?: readonly string[];
  /** The list in which a name is looked up. */
  readonly list?: string;
}

/** `tag_key` and `name__contains` on the command line. */
export const flagOf = (name: string): string => name.replaceAll(/_+/g, '-').toLowerCase();

/** Parts of the path that are usually meant, rather than given: the project, the region, the account. */
export function scopesOf({ path, args }: OperationRow): readonly string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return names.filter((name) => !args.some((arg) => arg.name === name));
}
