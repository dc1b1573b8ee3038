import { expect, test } from 'vitest';
import { mapSchema } from '../../server/src/platform/http/bounds.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { nameOf } from './operations.ts';

/** Every text, list and map that anybody can send has a bound, and the document says which. */

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

const faultsOf = (schema: Json | undefined): string[] => {
  const faults: string[] = [];
  if (schema) {
    mapSchema(schema, (node) => {
      faults.push(...unbounded(node));
      return node;
    });
  }
  return faults;
};

test('no operation accepts a text, a list or a map without a bound', () => {
  const wrong = server.app.routes.flatMap(({ spec }) =>
    ([spec.params, spec.query, spec.body] as (Json | undefined)[])
      .flatMap(faultsOf)
      .map((fault) => `${nameOf(spec)}: ${fault}`),
  );
  expect(wrong).toEqual([]);
});

test('the test finds what has no bound', () => {
  const items = { type: 'object', properties: { name: { type: ['string', 'null'] } } };
  const map = { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } };
  expect(faultsOf({ anyOf: [{ type: 'array', items }, map] })).toEqual(['a text', 'a list', 'a map']);
});
