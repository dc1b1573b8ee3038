import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { nameOf } from '../generated/operations.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { isSecretName, keptSecrets, secretsIn } from './secrets.ts';

/** Answers of writes are kept for their Idempotency-Key; none with a secret is. What each example answers is looked at
 *  in test/generated/examples, by names and by values. */

const server = shared(() => startTestServer({ worker: false }));

/** Where a schema has texts with the name of a secret, by their paths. */
function secretsOf(schema: TSchema | undefined, path = ''): string[] {
  if (schema === undefined) return [];
  const below = (part: TSchema | undefined, name: string) => secretsOf(part, `${path}${name}`);
  const parts: TSchema[] = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([name, part]) => [
      ...(isSecretName(name) && mayBeText(part) ? [`${path}.${name}`] : []),
      ...below(part, `.${name}`),
    ]),
    ...Object.values((schema.patternProperties ?? {}) as Record<string, TSchema>).flatMap((part) =>
      below(part, '.*'),
    ),
    ...below(schema.items, '[]'),
    ...parts.flatMap((part) => below(part, '')),
  ];
}

const mayBeText = ({ type, anyOf = [], items }: TSchema): boolean =>
  type === 'string' ||
  (items && mayBeText(items)) ||
  (Array.isArray(type) && type.includes('string')) ||
  anyOf.some(mayBeText);

test('no write keeps an answer whose schema has a secret', () => {
  const writes = server.app.routes.map(({ spec }) => spec).filter(({ method }) => method !== 'GET');
  const withSecrets = writes.filter(({ response }) => secretsOf(response).length > 0);
  expect(withSecrets.length).toBeGreaterThan(15);
  expect(withSecrets.filter(({ sensitive }) => !sensitive).map(nameOf)).toEqual([]);
});

test('the secret of a new webhook target is not given again for its key', async () => {
  const path = '/virga/v1/webhook_targets';
  const body = { client_id: 1, url: 'https://hooks.example.com/in' };
  const options = { as: 'operator', body, headers: { 'idempotency-key': 'webhook' } } as const;
  const made = await server.call('POST', path, options);
  expect([made.status, secretsIn(made.body)]).toMatchObject([201, [{ name: 'secret' }]]);
  const again = await server.call('POST', path, options);
  expect([again.status, again.body.message]).toEqual([
    409,
    expect.stringContaining('its answer is not kept'),
  ]);
  expect((await server.call('GET', path, { as: 'operator' })).body.count).toBe(1);
});

test('what is kept is found when it has a secret, by its name or as it was sent', async () => {
  const body = { name: 'a-long-enough-secret' };
  const headers = { 'idempotency-key': 'found' };
  expect((await server.call('POST', '/cloud/v1/projects', { body, headers })).status).toBe(201);
  expect(await keptSecrets(server, 'found', body)).toEqual([]);
  expect(await keptSecrets(server, 'found', { password: body.name })).toEqual(['password']);
  expect(secretsIn({ list: [{ secret_key: 'x', name: 'y', password: null }] })).toEqual([
    { name: 'secret_key', text: 'x' },
  ]);
});
