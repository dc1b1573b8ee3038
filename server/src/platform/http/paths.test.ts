import { describe, expect, test } from 'vitest';
import { plainPath, projectPath, regionPath } from './paths.ts';
import { Uuid } from './schemas.ts';

const call = { summary: 'Do it', handler: async () => ({}) };
const all = regionPath('Images', '/cloud/v1/images/{project_id}/{region_id}');
const one = all.at('{image_id}', { image_id: Uuid() });

describe('a call on a path', () => {
  test.for([
    ['get', 'GET', 'read'],
    ['post', 'POST', 'write'],
    ['put', 'PUT', 'write'],
    ['patch', 'PATCH', 'write'],
    ['delete', 'DELETE', 'write'],
  ] as const)('%s is for who may %3$s, unless it says something else', ([verb, method, access]) => {
    expect(one[verb](call)).toMatchObject({ scope: 'region', spec: { method, access, tag: 'Images' } });
    expect(one[verb]({ ...call, access: 'operate' }).spec.access).toBe('operate');
  });

  test('has the parameters of its path, in their order', () => {
    const { spec } = one.at('copy').post(call);
    expect(spec.path).toBe('/cloud/v1/images/{project_id}/{region_id}/{image_id}/copy');
    expect(Object.keys(spec.params?.properties)).toEqual(['project_id', 'region_id', 'image_id']);
    expect(Object.keys(all.get(call).spec.params?.properties)).toEqual(['project_id', 'region_id']);
  });

  test('cannot be sent elsewhere by what it says of itself', () => {
    const elsewhere = { ...call, method: 'GET', path: '/elsewhere', tag: 'Other', params: undefined };
    expect(one.delete(elsewhere).spec).toMatchObject({ method: 'DELETE', path: one.path, tag: 'Images' });
  });
});

test('a version is that of the API, whatever the path has behind it', () => {
  expect(all.at('v1/things').version(2).path).toBe('/cloud/v2/images/{project_id}/{region_id}/v1/things');
  expect(projectPath('Keys', '/cloud/v1/ssh_keys/{project_id}').version(3).path).toBe(
    '/cloud/v3/ssh_keys/{project_id}',
  );
});

test('a path without parameters checks none', () => {
  const { scope, spec } = plainPath('Internal', '/healthz').get({ ...call, access: { public: 'a probe' } });
  expect(scope).toBe('none');
  expect(spec).not.toHaveProperty('params');
});
