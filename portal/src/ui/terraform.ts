import { MAPS, OTHER_NAMES, RESOURCES } from './terraform-resources.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** What another resource has, which is written without quotes. */
export interface Reference {
  readonly reference: string;
}

export const referTo = (type: string, label: string): Reference => ({
  reference: `${type}.${labelOf(label)}.id`,
});

/** A resource of the infrastructure tool, of what a call of the API accepts. What the resource has no argument for is
 *  named in a comment. */
export function terraform(
  type: string,
  label: string | undefined,
  scope: { readonly project: number; readonly region?: number },
  attributes: Attributes,
): string {
  const region = scope.region === undefined ? {} : { region_id: scope.region };
  const scopeArguments = { project_id: scope.project, ...region };
  const unknown: string[] = [];
  const own = linesOf(attributes, { type, block: '', depth: 1, unknown });
  const lines = [...linesOf(scopeArguments, undefined), ...own];
  const without = unknown.length > 0 ? [`  # The resource has no argument for: ${unknown.join(', ')}`] : [];
  return `resource "${type}" "${labelOf(label)}" {\n${[...lines, ...without].join('\n')}\n}`;
}

/** A name that a resource can have. */
function labelOf(name: string | undefined): string {
  const label = (name ?? '').toLowerCase().replace(/[^a-z0-9_]+/g, '_') || 'this';
  return /^[a-z_]/.test(label) ? label : `_${label}`;
}

/** Text in quotes, in which nothing is an expression. */
export const quotedText = (text: string): string =>
  JSON.stringify(text)
    .replaceAll('\\b', '\\u0008')
    .replaceAll('\\f', '\\u000c')
    // Written as signs of their own, they begin no expression, whatever stands before them.
    .replaceAll('${', '\\u0024{')
    .replaceAll('%{', '\\u0025{');

interface At {
  readonly type: string;
  /** `interface.` within one; empty outside. */
  readonly block: string;
  readonly depth: number;
  /** Gets what the resource does not accept. */
  readonly unknown: string[];
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
const isObject = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('reference' in value);

/** @param at undefined: every name is accepted */
function linesOf(attributes: Attributes, at: At | undefined): string[] {
  const pad = '  '.repeat(at?.depth ?? 1);
  return Object.entries(attributes).flatMap(([name, value]) => {
    if (!isGiven(value)) return [];
    const key = at ? nameIn(at, name) : name;
    if (key === undefined) {
      at?.unknown.push(`${at.block}${name}`);
      return [];
    }
    if (MAPS.includes(key)) return mapLines(key, value as Attributes, pad);
    const blocks = Array.isArray(value) ? value : [value];
    if (at && blocks.length > 0 && blocks.every(isObject) && hasBlock(at, key)) {
      const within = { ...at, block: `${at.block}${key}.`, depth: at.depth + 1 };
      return blocks.flatMap((one) => [`${pad}${key} {`, ...linesOf(one, within), `${pad}}`]);
    }
    return [`${pad}${key} = ${hclOf(value)}`];
  });
}

function mapLines(key: string, map: Attributes, pad: string): string[] {
  const entries = Object.entries(map).map(([name, value]) => {
    const word = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) ? name : quotedText(name);
    return `${pad}  ${word} = ${hclOf(value)}`;
  });
  return [`${pad}${key} = {`, ...entries, `${pad}}`];
}

const accepts = ({ type }: At, path: string) => (RESOURCES[type] ?? []).includes(path);
const hasBlock = ({ type, block }: At, key: string) =>
  (RESOURCES[type] ?? []).some((path) => path.startsWith(`${block}${key}.`));

/** What the resource calls it; undefined: it has nothing like it. */
const nameIn = (at: At, name: string): string | undefined =>
  [name, ...(OTHER_NAMES[name] ?? [])].find((one) => accepts(at, `${at.block}${one}`) || hasBlock(at, one));

function hclOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => hclOf(idOf(one))).join(', ')}]`;
  if (typeof value === 'object' && value !== null && 'reference' in value) return String(value.reference);
  return typeof value === 'string' ? quotedText(value) : JSON.stringify(value);
}

/** The API names things by an object with their id where resources have the id. */
const idOf = (one: unknown) => (isObject(one) && 'id' in one ? one.id : one);
