import { type Static, Type } from '@sinclair/typebox';
import { Faults } from '../kernel/faults.ts';
import { StringEnum } from '../platform/http/schemas.ts';
import { Validator } from '../platform/http/validation.ts';
import { entriesOf, readJsonFile } from '../startup/json-file.ts';

const METHODS = ['POST', 'PUT', 'PATCH'] as const;
const NAME = '[a-z][a-z0-9_]*';

const SeedCall = Type.Object(
  {
    method: Type.Optional(StringEnum(METHODS)),
    path: Type.String({ pattern: '^/[!-~]*$', maxLength: 2000 }),
    body: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    as: Type.Optional(Type.String({ pattern: `^${NAME}$`, maxLength: 50 })),
  },
  { additionalProperties: false },
);
const SeedFile = Type.Object(
  { calls: Type.Array(SeedCall, { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false },
);

/** A call to make when a cloud begins. Its path and body may name what earlier calls have made. */
export type SeedCall = Static<typeof SeedCall>;

/** What a call has made, as later ones may name it. */
export interface Made {
  readonly id: string | number | null;
  /** Of a task: ids by kind. */
  readonly created: Readonly<Record<string, readonly (string | number)[]>> | null;
}

/** `{web}` is the id of what the call `"as": "web"` made, `{web.pools.0}` the first of the pools made with it. */
const REFERENCE = new RegExp(`\\{(${NAME})(?:\\.([a-z_]+)\\.(\\d+))?\\}`, 'g');

/** Reads the file that VIRGA_SEED_FILE names.
 *  @throws ConfigError naming every faulty field */
export function readSeedFile(file: string): readonly SeedCall[] {
  return readJsonFile('VIRGA_SEED_FILE', file, checkCalls);
}

function checkCalls(content: unknown): readonly SeedCall[] {
  const faults = new Faults();
  const checked = faults.try(
    () => new Validator().check(SeedFile, content, 'body') as Static<typeof SeedFile>,
  );
  const known = new Map<string, string>();
  for (const [scope, { path, as }] of entriesOf(content, 'calls')) {
    const named =
      typeof path === 'string' ? [...path.matchAll(REFERENCE)].map(([, name]) => String(name)) : [];
    const unknown = named.filter((name) => !known.has(name));
    if (unknown.length > 0)
      faults.add(`${scope}.path`, `names ${unknown.join(', ')}, which no earlier call is called`);
    if (typeof as !== 'string') continue;
    if (known.has(as)) faults.add(`${scope}.as`, `${known.get(as)} is called ${as} too`);
    else known.set(as, scope);
  }
  faults.refuse('body');
  return checked?.calls ?? [];
}

/** The value with what its texts name put in. A text that is nothing but a name becomes what it names, a number for
 *  instance. Braces around other words stay.
 *  @throws StartError through `refuse` for a part that a call has not made */
export function withNames<T>(
  value: T,
  made: ReadonlyMap<string, Made>,
  refuse: (reference: string) => never,
): T {
  const idOf = (text: string, name: string, kind?: string, index?: string) => {
    const found = made.get(name);
    if (!found) return text;
    return (kind === undefined ? found.id : found.created?.[kind]?.[Number(index)]) ?? refuse(text);
  };
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node === 'object' && node !== null)
      return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, visit(each)]));
    if (typeof node !== 'string') return node;
    const [whole] = node.matchAll(REFERENCE);
    if (whole?.[0] === node) return idOf(node, String(whole[1]), whole[2], whole[3]);
    return node.replace(REFERENCE, (text, name, kind, index) => String(idOf(text, name, kind, index)));
  };
  return visit(value) as T;
}
