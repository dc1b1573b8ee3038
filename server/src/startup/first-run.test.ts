import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { type NewRegion, readRegions } from '../features/regions/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { randomIds } from '../kernel/ids.ts';
import { hashToken } from '../platform/auth/caller.ts';
import { Db } from '../platform/database/db.ts';
import { sql } from '../platform/database/sql.ts';
import { defaultRegions } from '../regions/regions-file.ts';
import { type FirstRunOptions, prepareDatabase } from './first-run.ts';

let database: TestDatabase;
let db: Db;
const dataDir = mkdtempSync(path.join(tmpdir(), 'virga-first-run-'));

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }) });
});

afterAll(async () => {
  await db.close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

const region = (id: number, display_name: string): NewRegion => ({
  id,
  display_name,
  slug: display_name.toLowerCase(),
  state: 'ACTIVE',
  provider: 'simulated',
  settings: {},
});

const prepare = (regions: readonly NewRegion[] | undefined, more: Partial<FirstRunOptions> = {}) =>
  prepareDatabase({
    db,
    clock: systemClock(),
    ids: randomIds(),
    apiKey: undefined,
    regions,
    defaultRegions: defaultRegions(),
    dataDir,
    node: 'one',
    ...more,
  });

const names = async () => (await readRegions(db)).map(({ id, display_name }) => `${id} ${display_name}`);

test('a first run makes the regions of its file and no others, and keeps its credentials to itself', async () => {
  // One that broke off before has used up numbers.
  const unwritable = path.join(dataDir, 'a-file');
  writeFileSync(unwritable, '');
  await expect(prepare([region(7, 'Simulated')], { dataDir: unwritable })).rejects.toThrow('a-file');
  const { credentials } = await prepare([region(7, 'Simulated')]);
  expect(await names()).toEqual(['7 Simulated']);
  const { rows } = await db.pool.query(
    'select c.id as client, u.id as account, p.id as project, p.name from clients c, users u, projects p',
  );
  expect(rows).toEqual([{ client: 1, account: 1, project: 1, name: 'Default' }]);
  const file = path.join(dataDir, 'credentials');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain(`API_TOKEN=${credentials?.apiToken}\n`);
});

test('a later run has no credentials to show; its file adds and changes regions, and removes none', async () => {
  expect((await prepare([region(7, 'Renamed'), region(8, 'Added')])).credentials).toBeUndefined();
  expect(await names()).toEqual(['7 Renamed', '8 Added']);
  await prepare(undefined);
  await prepare([region(8, 'Added')]);
  expect(await names()).toEqual(['7 Renamed', '8 Added']);
});

test('every node knows where the credentials of the first run are', async () => {
  const { location } = await prepare(undefined, { node: 'two', dataDir: '/elsewhere' });
  expect(location).toEqual({ node: 'one', dataDir });
});

test('a fixed token stays when a node starts without it, and goes when another one is fixed', async () => {
  const works = async (apiKey: string) => {
    const rows = await db.rows(
      sql`select 1 from api_tokens where hash = ${hashToken(apiKey)} and deleted_at is null`,
    );
    return rows.length === 1;
  };
  await prepare(undefined, { apiKey: 'first-key' });
  await prepare(undefined);
  expect(await works('first-key')).toBe(true);
  await prepare(undefined, { apiKey: 'second-key' });
  expect([await works('first-key'), await works('second-key')]).toEqual([false, true]);
});
