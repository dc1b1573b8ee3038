import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RegionRow } from '../../../server/src/features/regions/index.ts';
import { providerFactories } from '../../../server/src/provider-factories.ts';
import { offers, type RegionProvider } from '../../../server/src/region-providers.ts';
import { startTestServer, type TestServer } from '../../harness/server.ts';
import { expectGolden } from '../golden.ts';
import { best, DOCUMENT, type Line, type Recorded, ROOT, readCompatibility, render, shownBy } from './document.ts';

let server: TestServer;
let providers: ReadonlyMap<string, RegionProvider>;
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'virga-providers-'));

beforeAll(async () => {
  server = await startTestServer({ worker: false });
  const factories = providerFactories({ timeScale: 0, seed: '', dataDir, log: pino({ level: 'silent' }) });
  const region = { id: 1, slug: 'one', settings: {} } as RegionRow;
  providers = new Map(Object.entries(factories).map(([name, create]) => [name, create(region)]));
});

afterAll(async () => {
  await Promise.all([...providers.values()].map((provider) => provider.close?.()));
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const offering = (need: string) =>
  [...providers].filter(([, provider]) => offers(provider, need)).map(([name]) => name);

function lines(): Line[] {
  return server.app.features.flatMap(({ routes = [], needs }) =>
    routes.map(({ scope, spec }) => ({
      operation: `${spec.method} ${spec.path}`,
      area: spec.tag,
      summary: spec.deprecated ? `${spec.summary} (older form)` : spec.summary,
      providers: needs === undefined || scope !== 'region' ? undefined : offering(needs),
    })),
  );
}

test('what a feature needs of a region, some provider has', () => {
  const needs = server.app.features.flatMap(({ needs = [] }) => needs);
  expect(needs.filter((need) => offering(need).length === 0)).toEqual([]);
});

test('docs/compatibility.md shows what is served, where it works, and which tests show it', () => {
  const served = lines();
  const areas = new Map(served.map(({ operation, area }) => [operation, area]));
  const kept = shownBy(readCompatibility());
  const record = process.env.VIRGA_OPERATIONS_RECORD;
  const records = record === undefined ? [] : (readFileSync(record, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) as Recorded[]);
  const shown = new Map(
    [...areas.keys()].map((operation) => {
      const files = (kept.get(operation) ?? []).filter((file) => existsSync(path.join(ROOT, file)));
      const found = best(operation, areas, records);
      return [operation, found.length > 0 ? found : files];
    }),
  );
  const introduction = readFileSync(path.join(ROOT, 'docs/compatibility.intro.md'), 'utf8');
  expectGolden(DOCUMENT, render(introduction, served, shown));
});

test('every operation is shown at work by a test', () => {
  const unshown = [...shownBy(readCompatibility())].filter(([, files]) => files.length === 0).map(([operation]) => operation);
  const finding = process.env.UPDATE_GOLDEN === '1';
  expect(finding ? [] : unshown, 'call them in a test with success, then run npm run generate').toEqual([]);
});
