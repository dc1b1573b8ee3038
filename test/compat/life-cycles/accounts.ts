import { COLON, ZULU } from './life-cycle.ts';
import { type Cycles, certificate, field, scoped } from './scene.ts';

const DATA = { aws_access_key_id: 'AKID', aws_secret_access_key: 'shh' };
const SHOWN = { registry_url: 'docker.io', username: 'robot' };
const REGISTRY = { ...SHOWN, password: 'shh' };
const page = { enabled: true, header: 'Not for you' };

export const ACCOUNTS: Cycles = {
  project: () => ({
    path: '/cloud/v1/projects',
    body: { name: 'first', description: 'of a tool' },
    older: { body: { name: 'first', description: 'of a tool', state: 'ACTIVE' } },
    changedBy: 'PATCH /cloud/v1/projects/{project_id}',
    updates: [field('name', 'second'), field('description', 'new')],
    times: { created_at: ZULU },
  }),
  'SSH key': () => ({
    path: '/cloud/v1/ssh_keys/1',
    body: { name: 'first', shared_in_project: true },
    changedBy: 'PATCH /cloud/v1/ssh_keys/{project_id}/{ssh_key_id}',
    updates: [field('shared_in_project', false)],
    times: { created_at: ZULU },
  }),
  secret: async () => {
    const payload = await certificate();
    return {
      path: scoped('secrets'),
      createdAt: scoped('secrets', 'v2'),
      body: { name: 'first', payload, expiration: '2031-01-01T00:00:00Z' },
      kind: 'secrets',
      unread: ['payload', 'expiration'],
      shows: { expiration: '2031-01-01T00:00:00+00:00' },
      times: { created: COLON, expiration: COLON },
    };
  },
  'secret that does not expire': async () => ({
    path: scoped('secrets'),
    createdAt: scoped('secrets', 'v2'),
    body: { name: 'first', payload: await certificate() },
    kind: 'secrets',
    unread: ['payload'],
    shows: { expiration: null },
    times: { created: COLON },
  }),
  'inference secret': () => ({
    path: '/cloud/v3/inference/1/secrets',
    body: { name: 'first', type: 'aws-iam', data: DATA },
    key: 'name',
    changedBy: 'PUT /cloud/v3/inference/{project_id}/secrets/{secret_name}',
    left: { type: 'there is one' },
    updates: ['aws_access_key_id', 'aws_secret_access_key'].map((name) => {
      const data = { ...DATA, [name]: 'changed' };
      return { method: 'PUT', body: { type: 'aws-iam', data }, shows: { data } } as const;
    }),
    times: {},
  }),
  'inference registry credentials': () => ({
    path: '/cloud/v3/inference/1/registry_credentials',
    body: { name: 'first', ...REGISTRY },
    key: 'name',
    unread: ['password'],
    changedBy: 'PUT /cloud/v3/inference/{project_id}/registry_credentials/{credential_name}',
    updates: [
      { method: 'PUT', body: { ...REGISTRY, registry_url: 'ghcr.io' }, shows: { registry_url: 'ghcr.io' } },
      { method: 'PUT', body: { ...REGISTRY, username: 'other' }, shows: { ...SHOWN, username: 'other' } },
      { method: 'PUT', body: { ...REGISTRY, password: 'changed' }, shows: SHOWN },
    ],
    times: {},
  }),
  'set of response pages': () => ({
    path: '/waap/v1/custom-page-sets',
    body: { name: 'first', domains: [1, 2], block: page },
    changedBy: 'PATCH /waap/v2/custom-page-sets/{set_id}',
    updates: [
      ...['block', 'block_csrf', 'captcha', 'cookie_disabled', 'handshake', 'javascript_disabled'].map(
        (name) => field(name, { ...page, header: 'Somewhere else' }),
      ),
      field('name', 'second'),
      field('domains', [3]),
      field('block', null),
    ].map((update) => ({ ...update, version: 'v2' as const })),
    times: {},
  }),
};
