import type { TSchema } from '@sinclair/typebox';
import { allows, ROLES } from '../auth/roles.ts';
import type { Route } from '../http/route.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, from the same schemas that validate. A schema with an `$id` becomes a component. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { spec } of routes) {
    if (isInternal(spec)) continue;
    const path = paths[spec.path] ?? {};
    path[spec.method.toLowerCase()] = operation(spec, components);
    paths[spec.path] = path;
  }
  const byName = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: { title: 'Virga', version, description: 'A cloud control plane that anyone can run.' },
    servers: [{ url: '/' }],
    security: [{ APIKey: [] }],
    tags: [...new Set(routes.filter(({ spec }) => !isInternal(spec)).map(({ spec }) => spec.tag))].map(
      (name) => ({ name }),
    ),
    paths,
    components: {
      securitySchemes: {
        APIKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The word APIKey, one space, and the token',
        },
      },
      schemas: Object.fromEntries(byName),
    },
  };
}

/** Routes that serve people and machines around the API rather than the API. */
const isInternal = (spec: Route['spec']) => spec.tag === 'Internal';

function operation(spec: Route['spec'], components: Record<string, unknown>): Json {
  const isPublic = typeof spec.access === 'object';
  const status = String(spec.status ?? 200);
  return {
    operationId: operationId(spec),
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    tags: [spec.tag],
    ...(spec.deprecated ? { deprecated: true } : {}),
    ...(isPublic ? { security: [] } : { 'x-roles': rolesOf(spec) }),
    parameters: [
      ...parameters('path', spec.params, components),
      ...parameters('query', spec.query, components),
    ],
    ...(spec.body
      ? { requestBody: { required: spec.body.default === undefined, content: json(spec.body, components) } }
      : {}),
    responses: {
      [status]: {
        description: spec.summary,
        ...(spec.response ? { content: json(spec.response, components) } : {}),
      },
      default: { description: 'What is wrong, in the dialect of the path' },
    },
  };
}

function rolesOf({ access }: Route['spec']): string[] {
  if (typeof access === 'object') return [];
  return [...ROLES, 'operator' as const].filter((role) => allows(role, access));
}

function operationId({ method, path }: Route['spec']): string {
  const words = path
    .split('/')
    .filter(Boolean)
    .map((part) => part.replace(/[{}]/g, ''));
  return [method.toLowerCase(), ...words].join('_').replace(/[^A-Za-z0-9_]/g, '_');
}

function parameters(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  components: Record<string, unknown>,
): Json[] {
  const properties: Record<string, TSchema> = schema?.properties ?? {};
  const required: readonly string[] = schema?.required ?? [];
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: lift(value, components),
  }));
}

function json(schema: TSchema, components: Record<string, unknown>): Json {
  return { 'application/json': { schema: lift(schema, components) } };
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
