import { expect, test } from 'vitest';
import { mapSchema } from '../../server/src/platform/http/bounds.ts';
import { patternRule } from '../../server/src/platform/http/patterns.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { nameOf } from './operations.ts';

/** Every text, list and map that anybody can send has a bound, and the document says which; every pattern is said in
 *  words. */

const server = shared(() => startTestServer({ worker: false }));

type Json = Readonly<Record<string, unknown>>;

/** What is wrong with one schema, not looking into those that it contains. */
function unbounded(node: Json): string[] {
  const types = [node.type].flat();
  const map = node.properties === undefined || typeof node.additionalProperties === 'object';
  const chosen = node.enum !== undefined || node.const !== undefined;
  return [
    ...(types.includes('string') && !chosen && node.maxLength === undefined ? ['a text'] : []),
    ...(types.includes('array') && node.maxItems === undefined ? ['a list'] : []),
    ...(types.includes('object') && map && node.maxProperties === undefined ? ['a map'] : []),
  ];
}

/** The pattern of one schema that has no rule in words: who breaks it would be shown the pattern itself. */
function unworded({ pattern }: Json): string[] {
  return typeof pattern === 'string' && patternRule(pattern).includes(pattern) ? [pattern] : [];
}

const faultsOf = (schema: Json | undefined, look = unbounded): string[] => {
  const faults: string[] = [];
  if (schema) {
    mapSchema(schema, (node) => {
      faults.push(...look(node));
      return node;
    });
  }
  return faults;
};

const inputFaults = (look: typeof unbounded): string[] =>
  server.app.routes.flatMap(({ spec }) =>
    ([spec.params, spec.query, spec.body] as (Json | undefined)[])
      .flatMap((schema) => faultsOf(schema, look))
      .map((fault) => `${nameOf(spec)}: ${fault}`),
  );

test('no operation accepts a text, a list or a map without a bound', () => {
  expect(inputFaults(unbounded)).toEqual([]);
});

test('every pattern that somebody can break is said in words', () => {
  expect(inputFaults(unworded)).toEqual([]);
  expect(faultsOf({ type: 'string', pattern: '^without-words$' }, unworded)).toEqual(['^without-words$']);
});

test('the test finds what has no bound', () => {
  const items = { type: 'object', properties: { name: { type: ['string', 'null'] } } };
  const map = { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } };
  expect(faultsOf({ anyOf: [{ type: 'array', items }, map] })).toEqual(['a text', 'a list', 'a map']);
});
