import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { allows, isForTokens, ROLES } from '../../server/src/platform/auth/roles.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { expectGolden } from './golden.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

const server = shared(() => startTestServer({ worker: false }));

test('the OpenAPI document is the one that clients were generated from', async () => {
  const { body } = await server.call('GET', '/openapi.json');
  expectGolden(path.join(import.meta.dirname, 'golden/openapi.json'), `${JSON.stringify(body, null, 2)}\n`);
});

test('the types of the client are those of the document', () => {
  const source = path.join(import.meta.dirname, 'golden/openapi.json');
  const generator = path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
  const generated = execFileSync(process.execPath, [generator, source, '--default-non-nullable=false'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  expectGolden(path.join(ROOT, 'client/src/schema.gen.ts'), generated);
});

test('the client knows the least role for each operation', async () => {
  const { body } = await server.call('GET', '/openapi.json');
  const operations = Object.entries(body.paths as Record<string, Record<string, { 'x-roles'?: string[] }>>);
  const lines = operations.flatMap(([scope, methods]) =>
    Object.entries(methods).flatMap(([method, { 'x-roles': roles = ['Users'] }]) => {
      const least = ['Users', 'Engineers', 'Administrators', 'operator'].find((role) => roles.includes(role));
      const usual = method === 'get' ? 'Users' : 'Engineers';
      const name = JSON.stringify(`${method.toUpperCase()} ${scope}`);
      return least === usual || least === undefined ? [] : [`  ${name}: '${least}',`];
    }),
  );
  const generated = `import type { CallRole } from './calls.ts';

/** The least role for a call, where it is not the usual one: Users read, Engineers do the rest. */
export const LEAST_ROLES: Readonly<Record<string, CallRole>> = {
${lines.sort().join('\n')}
};
`;
  expectGolden(path.join(ROOT, 'client/src/roles.gen.ts'), generated);
});

describe('the OpenAPI document', () => {
  interface Operation {
    readonly operationId: string;
    readonly summary: string;
    readonly description?: string;
    readonly tags: readonly string[];
    readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
    readonly responses: Readonly<Record<string, unknown>>;
  }
  const document = () =>
    server.app.document as never as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      readonly tags: readonly { name: string; description?: string }[];
      readonly components: { readonly securitySchemes: object };
    };
  const operations = () => Object.values(document().paths).flatMap((methods) => Object.values(methods));

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(server.app.document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('names every operation once, with a summary and an area that is explained', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids.length).toBe(new Set(ids).size);
    expect(operations().filter(({ summary, tags }) => summary === '' || tags.length !== 1)).toEqual([]);
    const unexplained = document().tags.filter(({ description }) => description === undefined);
    expect(unexplained, 'say in the areas of their feature what they are about').toEqual([]);
  });

  test('names every operation as a person would, and as it was named before', () => {
    const named = operations().map(({ operationId }) => operationId);
    expect(named.filter((name) => !/^[a-z]+([A-Z][a-z]*\d*[a-z]*)+$/.test(name))).toEqual([]);
    const lines = Object.entries(document().paths).flatMap(([scope, methods]) =>
      Object.entries(methods).map(([method, one]) => `${one.operationId} ${method.toUpperCase()} ${scope}`),
    );
    expectGolden(
      path.join(import.meta.dirname, 'golden/operation-names.txt'),
      `${lines.sort().join('\n')}\n`,
    );
  });

  test('says of every operation what it does and what it answers', () => {
    const short = operations().filter(({ description = '' }) => !/\S[.!?] \S.*[.!?]$/s.test(description));
    expect(short.map(({ operationId, description }) => `${operationId}: ${description}`)).toEqual([]);
  });

  test('says of every field and parameter what it means', () => {
    const deferredWrites = new Set<string>();
    const look = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      const { properties = {}, name, description, in: scope } = part as Record<string, unknown>;
      for (const [field, schema] of Object.entries(properties as Record<string, { description?: string }>)) {
        if (typeof schema === 'object' && !schema.description) deferredWrites.add(field);
      }
      if (typeof scope === 'string' && typeof name === 'string' && !description) deferredWrites.add(name);
      for (const value of Object.values(part)) look(value);
    };
    look(document());
    expect([...deferredWrites], 'say it in the schema, or in server/src/glossary').toEqual([]);
  });

  test('says who may come in, and what is answered to those who may not', () => {
    const schemes = Object.keys(document().components.securitySchemes);
    expect(schemes).toEqual(['APIKey', 'Bearer']);
    for (const { spec } of server.app.routes.filter((each) => each.spec.tag !== 'Internal')) {
      const operation = document().paths[spec.path]?.[spec.method.toLowerCase()];
      const name = `${spec.method} ${spec.path}`;
      const isPublic = typeof spec.access === 'object';
      expect(operation?.security, name).toEqual(
        isPublic ? [] : isForTokens(spec.access) ? [{ APIKey: [] }] : undefined,
      );
      const statuses = Object.keys(operation?.responses ?? {});
      expect(statuses, name).toEqual(
        expect.arrayContaining(isPublic ? ['default'] : ['401', '403', 'default']),
      );
    }
  });
});

test('the table of roles and operations is the agreed one', () => {
  const columns = [...ROLES, 'operator'] as const;
  const lines = server.app.routes.map(({ spec }) => {
    const cells = columns.map((role) => {
      if (typeof spec.access === 'object') return 'public';
      return allows(role, spec.access) ? 'yes' : '-';
    });
    return `| ${spec.method} ${spec.path} | ${cells.join(' | ')} |`;
  });
  const head = [`| operation | ${columns.join(' | ')} |`, `|---|${columns.map(() => '---|').join('')}`];
  expectGolden(path.join(import.meta.dirname, 'golden/roles.md'), `${[...head, ...lines].join('\n')}\n`);
});
