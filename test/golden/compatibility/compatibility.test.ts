import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXAMPLE } from '../../../server/src/providers/openstack/testing/settings.ts';
import { PROVIDER_NAMES } from '../../../server/src/regions/known-providers.ts';
import { renderDifferences } from '../../compat/differences.ts';
import {
  keyOf,
  operationsOf,
  readKnownCalls,
  renderSources,
  renderUnserved,
} from '../../compat/known-calls.ts';
import { reasonOf, UNSERVED } from '../../compat/unserved.ts';
import { startTestServer, type TestServer } from '../../harness/server.ts';
import { expectGolden } from '../golden.ts';
import {
  best,
  DOCUMENT,
  type Line,
  type Recorded,
  ROOT,
  readCompatibility,
  render,
  shownBy,
} from './document.ts';

let server: TestServer;

beforeAll(async () => {
  const regions = PROVIDER_NAMES.map((provider, index) => ({
    id: index + 1,
    display_name: provider,
    slug: provider,
    state: 'ACTIVE',
    provider,
    settings: provider === 'openstack' ? { openstack: EXAMPLE } : {},
  }));
  server = await startTestServer({ worker: false, regions });
});

afterAll(() => server.close());

const offering = (need: string) =>
  PROVIDER_NAMES.filter((_provider, index) => server.providers.offers(index + 1, need));

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

test('what a feature needs of a region, some provider has; and every port is needed by a feature', () => {
  const needs = server.app.features.flatMap(({ needs = [] }) => needs);
  expect(needs.filter((need) => offering(need).length === 0)).toEqual([]);
  const ports = PROVIDER_NAMES.flatMap((_provider, index) => server.providers.portsOf(index + 1));
  expect(needs, 'say so with needs in the index.ts of the feature').toEqual(expect.arrayContaining(ports));
});

test('docs/compatibility.md shows what is served, where it works, and which tests show it', () => {
  const served = lines();
  const areas = new Map(served.map(({ operation, area }) => [operation, area]));
  const kept = shownBy(readCompatibility());
  const record = process.env.VIRGA_OPERATIONS_RECORD;
  const records = record === undefined ? [] : readRecords(record);
  const shown = new Map(
    [...areas.keys()].map((operation) => {
      const files = (kept.get(operation) ?? []).filter((file) => existsSync(path.join(ROOT, file)));
      const found = best(operation, areas, records);
      return [operation, found.length > 0 ? found : files];
    }),
  );
  const introduction = readFileSync(path.join(ROOT, 'docs/compatibility.intro.md'), 'utf8');
  const known = readKnownCalls();
  const parts = {
    'known-calls': renderSources(server.app.document, known),
    judged: readFileSync(path.join(ROOT, 'docs/compatibility.judged.md'), 'utf8').trim(),
    'not-served': renderUnserved(server.app.document, known),
    differences: renderDifferences(),
  };
  expectGolden(DOCUMENT, render(introduction, parts, served, shown));
});

test('every operation is shown at work by a test', () => {
  const unshown = [...shownBy(readCompatibility())]
    .filter(([, files]) => files.length === 0)
    .map(([operation]) => operation);
  const finding = process.env.UPDATE_GOLDEN === '1';
  expect(finding ? [] : unshown, 'call them in a test with success, then run npm run generate').toEqual([]);
});

test('what is not served of what clients know has a reason, and no reason is left over', () => {
  const served = operationsOf(server.app.document);
  const left = readKnownCalls().filter((call) => !served.has(keyOf(call)));
  expect(left.filter(({ path: at }) => reasonOf(at) === undefined).map(keyOf)).toEqual([]);
  const used = new Set(left.map(({ path: at }) => reasonOf(at)));
  expect(UNSERVED.filter(([, reason]) => !used.has(reason))).toEqual([]);
});

function readRecords(file: string): Recorded[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Recorded);
}
