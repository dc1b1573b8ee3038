import type { TSchema } from '@sinclair/typebox';
import { allows, isForTokens, TOKEN_ROLES } from '../auth/roles.ts';
import { DAILY_KEYS } from '../http/idempotency.ts';
import type { Route } from '../http/route.ts';
import { describe } from './describe.ts';
import { errorResponses } from './errors.ts';
import { type Examples, shown } from './examples.ts';
import { explain } from './explain.ts';
import {
  answerHeaders,
  HEADER_COMPONENTS,
  KEY_PARAMETER,
  PARAMETER_COMPONENTS,
  takesKey,
} from './headers.ts';

type Json = Record<string, unknown>;

type NameOf = (spec: Route['spec']) => string;

/** What the document says beside what the routes say. */
export interface Words {
  /** What each tag is about. */
  readonly areas?: Readonly<Record<string, string>>;
  /** What an operation is called in clients that are made of the document. */
  readonly nameOf?: NameOf;
  /** What a field or parameter of this name means, where its schema does not say it. */
  readonly meaningOf?: (name: string, scope: 'field' | 'parameter') => string | undefined;
  /** What a person would send. */
  readonly examples?: Examples;
}

/** What operations share. */
interface Components {
  readonly schemas: Json;
  readonly responses: Json;
}

/** The OpenAPI 3.1 document, from the same schemas that validate. A schema with an `$id` becomes a component.
 *  */
export function openApiDocument(
  routes: readonly Route[],
  version: string,
  { areas = {}, nameOf = mechanicalName, meaningOf = () => undefined, examples = {} }: Words = {},
): Json {
  const components: Components = { schemas: {}, responses: {} };
  const paths: Record<string, Record<string, unknown>> = {};
  const shown = routes.filter(({ spec }) => !isInternal(spec));
  for (const route of shown) {
    const { spec } = route;
    const path = paths[spec.path] ?? {};
    path[spec.method.toLowerCase()] = operation(route, components, { nameOf, examples });
    paths[spec.path] = path;
  }
  mapKinds(components.schemas);
  explain(paths, meaningOf);
  explain(components, meaningOf);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Virga',
      version,
      summary: 'A cloud control plane that anyone can run.',
      description: ABOUT,
      contact: { name: 'Whoever operates this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ APIKey: [] }, { Bearer: [] }],
    tags: [...new Set(shown.map(({ spec }) => spec.tag))].map((name) => ({
      name,
      ...(areas[name] ? { description: areas[name] } : {}),
    })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETER_COMPONENTS,
      headers: HEADER_COMPONENTS,
      responses: sorted(components.responses),
      schemas: sorted(components.schemas),
    },
  };
}

const ABOUT = `Send \`Authorization: APIKey TOKEN\`, or \`Bearer ACCESS\` with what signing in has given.

Most changes of infrastructure answer \`{"tasks": [id]}\` at once and are done by that task: ask for it until its \`state\` is \`FINISHED\` or \`ERROR\`, or once with \`?wait=60\`. A list answers \`{count, results}\`; \`count\` is the number over all pages. A write with an \`Idempotency-Key\` can be repeated safely for a day; an account may make ${DAILY_KEYS.toLocaleString('en-US')} of them in one.`;

const SECURITY_SCHEMES = {
  APIKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The word APIKey, one space, and an API token',
  },
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token that POST /iam/auth/jwt/login answers',
  },
};

const sorted = (named: Json): Json =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Routes that serve people and machines around the API rather than the API. */
const isInternal = (spec: Route['spec']) => spec.tag === 'Internal';

function operation(
  route: Route,
  { schemas, responses }: Components,
  { nameOf, examples }: { nameOf: NameOf; examples: Examples },
): Json {
  const { spec } = route;
  const status = String(spec.status ?? 200);
  return {
    operationId: nameOf(spec),
    summary: spec.summary,
    description: describe(spec),
    tags: [spec.tag],
    ...(spec.deprecated ? { deprecated: true } : {}),
    ...securityOf(spec),
    parameters: [
      ...parameters('path', spec.params, schemas),
      ...parameters('query', spec.query, schemas),
      ...(takesKey(spec) ? [KEY_PARAMETER] : []),
    ],
    ...(spec.body ? { requestBody: requestBody(spec.body, schemas, examples) } : {}),
    responses: {
      [status]: {
        description: spec.summary,
        headers: answerHeaders(spec),
        ...(spec.response ? { content: json(spec.response, schemas, spec.produces) } : {}),
      },
      ...errorResponses(route, responses, (schema) => lift(schema, schemas)),
    },
  };
}

function requestBody(body: TSchema, schemas: Json, examples: Examples): Json {
  const example = body.$id === undefined ? undefined : examples[body.$id];
  // That it may be absent says the same, and generators cannot write objects as presets.
  const { default: preset, ...schema } = body;
  const content = { schema: lift(schema, schemas), ...shown(example) };
  return { required: preset === undefined, content: { 'application/json': content } };
}

/** Those who sign in have a client's role, and operators a token. */
function securityOf(spec: Route['spec']): Json {
  if (typeof spec.access === 'object') return { security: [] };
  const roles = { 'x-roles': rolesOf(spec) };
  return isForTokens(spec.access) ? { security: [{ APIKey: [] }], ...roles } : roles;
}

function rolesOf({ access }: Route['spec']): string[] {
  if (typeof access === 'object') return [];
  return TOKEN_ROLES.filter((role) => allows(role, access));
}

/** A name for who gives none. */
function mechanicalName({ method, path }: Route['spec']): string {
  const words = path
    .split('/')
    .filter(Boolean)
    .map((part) => part.replace(/[{}]/g, ''));
  return [method.toLowerCase(), ...words].join('_').replace(/[^A-Za-z0-9_]/g, '_');
}

function parameters(
  scope: 'path' | 'query',
  schema: TSchema | undefined,
  components: Record<string, unknown>,
): Json[] {
  const properties: Record<string, TSchema> = schema?.properties ?? {};
  const required: readonly string[] = schema?.required ?? [];
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: scope,
    required: scope === 'path' || required.includes(name),
    ...(value.description ? { description: value.description } : {}),
    schema: lift(value, components),
  }));
}

function json(schema: TSchema, components: Record<string, unknown>, contentType = 'application/json'): Json {
  return { [contentType]: { schema: lift(schema, components) } };
}

/** Says of each choice between kinds which value names which of them. Changes the schemas. */
function mapKinds(schemas: Json): void {
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { discriminator, oneOf } = node as { discriminator?: Kinds; oneOf?: readonly { $ref?: string }[] };
    if (typeof discriminator?.propertyName === 'string' && Array.isArray(oneOf)) {
      discriminator.mapping = mappingOf(discriminator.propertyName, oneOf, schemas);
    }
    for (const value of Object.values(node)) look(value);
  };
  look(schemas);
}

interface Kinds {
  readonly propertyName: string;
  mapping?: Json;
}

function mappingOf(property: string, variants: readonly { $ref?: string }[], schemas: Json): Json {
  const entries = variants.flatMap(({ $ref = '' }) => {
    const variant = schemas[$ref.replace('#/components/schemas/', '')] as TSchema | undefined;
    const { const: value, enum: values = [value] } = variant?.properties?.[property] ?? {};
    return (values as unknown[]).map((each) => [String(each), $ref]);
  });
  return Object.fromEntries(entries);
}

/** Moves schemas with an `$id` into the components and leaves references behind. */
function lift(schema: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => lift(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as { $id?: unknown };
  const lifted = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, lift(value, components)]),
  );
  if (typeof $id !== 'string') return lifted;
  const known = components[$id];
  if (known && JSON.stringify(known) !== JSON.stringify(lifted))
    throw new Error(`two schemas are called ${$id}`);
  components[$id] = lifted;
  return { $ref: `#/components/schemas/${$id}` };
}
