/** What a value may be in one place of a schema: which fields its objects have, and what those may be. Made once for
 *  each place, so that a long list costs no more than its items. */

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class Shape {
  /** It may be anything. */
  readonly isFree: boolean;
  /** It may be an object. */
  readonly isObject: boolean;
  /** The fields of its objects, of whatever kind. */
  readonly fields: Fields;
  readonly #lists: readonly Json[];
  #items: Shape | undefined;

  constructor(schemas: readonly Json[]) {
    const all = schemas.flatMap(withParts);
    this.isFree = all.some((each) => Object.keys(each).every((keyword) => ANNOTATIONS.has(keyword)));
    const objects = all.filter(isOfObjects);
    this.#lists = all.map(({ items }) => items).filter(isObject);
    this.isObject = objects.length > 0;
    this.fields = new Fields(objects);
  }

  /** What the items of a list may be; undefined: anything. */
  get items(): Shape | undefined {
    const [first, ...others] = this.#lists;
    if (!first) return undefined;
    if (others.length === 0) return shapeOf(first);
    this.#items ??= new Shape(this.#lists);
    return this.#items;
  }
}

/** The fields of objects that schemas allow. */
export class Fields {
  readonly names: ReadonlySet<string>;
  readonly #objects: readonly Json[];
  /** What the fields may be that no schema lists. */
  readonly #open: readonly Open[];
  readonly #shapes = new Map<string, Shape | undefined>();

  constructor(objects: readonly Json[]) {
    this.names = new Set(objects.flatMap(({ properties }) => Object.keys(properties ?? {})));
    this.#objects = objects;
    this.#open = objects.flatMap(openOf);
  }

  /** What a field may be; undefined: no schema names it. */
  get(name: string): Shape | undefined {
    const open = this.#open.filter(({ has }) => has(name));
    // Not by its name if that is the caller's, who may think of many.
    const key = this.names.has(name) ? name : `/${open.map((each) => this.#open.indexOf(each)).join()}`;
    if (!this.#shapes.has(key)) this.#shapes.set(key, this.#make(name, open));
    return this.#shapes.get(key);
  }

  #make(name: string, open: readonly Open[]): Shape | undefined {
    const named = this.#objects.map((each) => ownOf(each.properties, name)).filter(isObject);
    const [first, ...others] = [...named, ...open.map(({ schema }) => schema)];
    if (!first) return undefined;
    return others.length > 0 ? new Shape([first, ...others]) : shapeOf(first);
  }
}

interface Open {
  readonly has: (name: string) => boolean;
  readonly schema: Json;
}

/** Says nothing of a value. */
const ANYTHING: Json = {};
/** Keywords that ask nothing of a value. */
const ANNOTATIONS = new Set(['$id', 'title', 'description', 'default', 'examples', 'deprecated']);
const PARTS = ['anyOf', 'oneOf', 'allOf'];

const shapes = new WeakMap<Json, Shape>();

/** The shape of what a schema allows, the same each time. */
export function shapeOf(schema: Json): Shape {
  const shape = shapes.get(schema) ?? new Shape([schema]);
  shapes.set(schema, shape);
  return shape;
}

/** A schema, and the alternatives and parts that it is made of. */
function withParts(schema: Json): Json[] {
  const parts = PARTS.flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []));
  return [schema, ...parts.filter(isObject).flatMap(withParts)];
}

const isOfObjects = ({ type, properties }: Json) =>
  [type].flat().includes('object') || properties !== undefined;

function openOf(schema: Json): Open[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const patterns = Object.entries(isObject(patternProperties) ? patternProperties : {}).map(
    ([pattern, inner]) => ({ regex: new RegExp(pattern, 'u'), inner }),
  );
  const ofPatterns = patterns.map(({ regex, inner }) => ({
    has: (name: string) => regex.test(name),
    schema: isObject(inner) ? inner : ANYTHING,
  }));
  const isBare = properties === undefined && patterns.length === 0 && !PARTS.some((part) => part in schema);
  const others = additionalProperties ?? isBare;
  if (others === false) return ofPatterns;
  const isOther = (name: string) =>
    ownOf(properties, name) === undefined && !patterns.some(({ regex }) => regex.test(name));
  return [...ofPatterns, { has: isOther, schema: isObject(others) ? others : ANYTHING }];
}

const ownOf = (properties: unknown, name: string): unknown =>
  isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
