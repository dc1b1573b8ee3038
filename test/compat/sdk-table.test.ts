import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../golden/golden.ts';
import {
  areaOf,
  KNOWN_CALLS,
  keyOf,
  operationsOf,
  readKnownCalls,
  servedAreas,
  sourceOf,
  withSource,
  writeKnownCalls,
} from './known-calls.ts';
import { installSdk, routesOfSdk, VERSIONS } from './sdk.ts';

/** What is served is compared with what each version of the SDK calls: docs/compatibility.md says what is left, and
 *  each query parameter that may come with a call is in the document. */

const root = path.join(import.meta.dirname, '../..');
const document = JSON.parse(readFileSync(path.join(root, 'test/golden/golden/openapi.json'), 'utf8'));

interface Parameter {
  readonly name: string;
  readonly in: string;
}

const parametersOf = (operation: Readonly<Record<string, unknown>> | undefined) =>
  ((operation?.parameters ?? []) as readonly Parameter[])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => name);

describe.each(VERSIONS)('of the public Python SDK %s', (version) => {
  const { python, missing } = installSdk(version);
  const tried = test.skipIf(missing !== undefined);
  const reason = missing ? ` (${missing})` : '';
  const routes = missing === undefined ? routesOfSdk(String(python)) : [];

  tried(`every call of an area that is served is known${reason}`, () => {
    const areas = servedAreas(document);
    const own = routes.filter((route) => areas.has(areaOf(route.path)));
    expect(own.length).toBeGreaterThan(200);
    expectGolden(KNOWN_CALLS, writeKnownCalls(withSource(readKnownCalls(), sourceOf(version), own)));
  });

  tried(`every query parameter of a call that is served is in the document${reason}`, () => {
    const served = operationsOf(document);
    const left = routes
      .filter((route) => served.has(keyOf(route)))
      .flatMap((route) => {
        const known = parametersOf(served.get(keyOf(route)));
        return route.query.filter((name) => !known.includes(name)).map((name) => `${route.name} ${name}`);
      });
    expect(left).toEqual([]);
  });
});
