import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { type NewRegion, readRegions } from './features/regions/index.ts';
import { prepareDatabase } from './first-run.ts';
import { systemClock } from './kernel/clock.ts';
import { randomIds } from './kernel/ids.ts';
import { Db } from './platform/database/db.ts';
import { DEFAULT_REGIONS } from './regions-file.ts';

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

const prepare = (regions: readonly NewRegion[] | undefined) =>
  prepareDatabase({
    db,
    clock: systemClock(),
    ids: randomIds(),
    apiKey: undefined,
    regions,
    defaultRegions: DEFAULT_REGIONS,
    dataDir,
  });

const names = async () => (await readRegions(db)).map(({ id, display_name }) => `${id} ${display_name}`);

test('a first run makes the regions of its file and no others, and keeps its credentials to itself', async () => {
  const credentials = await prepare([region(7, 'Simulated')]);
  expect(await names()).toEqual(['7 Simulated']);
  const file = path.join(dataDir, 'credentials');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain(`API_TOKEN=${credentials?.apiToken}\n`);
});

test('a later run has no credentials to tell; its file adds and changes regions, and removes none', async () => {
  expect(await prepare([region(7, 'Renamed'), region(8, 'Added')])).toBeUndefined();
  expect(await names()).toEqual(['7 Renamed', '8 Added']);
  await prepare(undefined);
  await prepare([region(8, 'Added')]);
  expect(await names()).toEqual(['7 Renamed', '8 Added']);
});
