import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldName, plainly, withFieldNames } from '../../portal/src/api/plain-words.ts';

/** Programs that have such names. */
const NO_FIELDS = new Set(['pg_dump', 's3_compatible']);

test('no message that people may read names a field of the API', () => {
  const file = new URL('../golden/golden/messages.txt', import.meta.url);
  const messages = readFileSync(file, 'utf8').replaceAll(/\{[^}\n]*\}/g, '');
  const named = plainly(messages).match(/(?<![\w/.`"=-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/`"=])/g) ?? [];
  expect(named.filter((name) => !NO_FIELDS.has(name))).toEqual([]);
});

test('what is a name or part of a path stays as it is', () => {
  expect(plainly('must not be less than min_node_count')).toBe('must not be less than minimum nodes');
  expect(plainly('Load balancer my_own was not found')).toBe('Load balancer my_own was not found');
  expect(plainly('use /storages/{secret_id}/port_id')).toBe('use /storages/{secret_id}/port_id');
});

test('calls that the API says to make are pages', () => {
  expect(plainly('ask for a higher limit with POST /cloud/v2/limits_request')).toBe(
    'ask for a higher limit on the page Quotas',
  );
  expect(
    plainly('activate it with PUT /cloud/v1/dbaas/status/1/2 and {"is_initialized": true}; then again'),
  ).toBe('activate it on the page PostgreSQL; then again');
});

test('fields read like words, and several of a kind are counted from one', () => {
  expect(fieldName('logging.enabled')).toBe('logging, enabled');
  expect(fieldName('pools.0.members.1.protocol_port')).toBe('pools 1, members 2, protocol port');
  expect(fieldName('min_node_count')).toBe('minimum nodes');
});

test('a sentence about fields names them in words', () => {
  const fields = ['logging.enabled', 'name'];
  expect(withFieldNames('logging.enabled: is required; name: is taken, see host-name: x', fields)).toBe(
    'logging, enabled: is required; name: is taken, see host-name: x',
  );
});
