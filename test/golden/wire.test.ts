import path from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { allows, ROLES } from '../../server/src/platform/auth/roles.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { expectGolden } from './golden.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});

afterAll(() => server.close());

test('the OpenAPI document is the one that clients were generated from', async () => {
  const { body } = await server.call('GET', '/openapi.json');
  expectGolden(path.join(import.meta.dirname, 'golden/openapi.json'), `${JSON.stringify(body, null, 2)}\n`);
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
