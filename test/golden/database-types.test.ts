import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'vitest';
import { createTestDatabase } from '../harness/database.ts';
import { expectGolden } from './golden.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const TYPES = path.join(ROOT, 'server/src/platform/database/schema.gen.ts');

test('the database types are those of the migrated schema', async () => {
  const database = await createTestDatabase();
  try {
    const generated = execFileSync(
      process.execPath,
      [
        'node_modules/kysely-codegen/dist/cli/bin.js',
        '--dialect=postgres',
        '--default-schema=public',
        '--include-pattern=public.*',
        '--exclude-pattern=public.kysely_*',
        '--type-mapping={"int8":"number","timestamptz":"Date"}',
        '--url=env(VIRGA_TEST_DATABASE)',
        '--print',
      ],
      { cwd: ROOT, encoding: 'utf8', env: { ...process.env, VIRGA_TEST_DATABASE: database.url } },
    );
    expectGolden(TYPES, generated.slice(generated.indexOf('/**')));
  } finally {
    await database.drop();
  }
});
