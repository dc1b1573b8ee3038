import { at, id, named, of, type Rows, sealed } from './row-values.ts';

/** Rows of what accounts have, whatever the region. */

/** The API lets nobody have more of some things. */
const MEMBERS = 1000;
const STORAGES = 100;
const TOKENS = 50;
const PAGE_SETS = 100;

export const ACCOUNT_ROWS: readonly Rows[] = [
  of('projects', { client_id: '1', ...named, created_at: at, has_default_groups: 'true' }),
  of('clients', { name: `'client ' || i`, email: `'c' || i || '@example.test'`, created_at: at }),
  of(
    'users',
    { email: `'u' || i || '@example.test'`, name: `'user ' || i`, created_at: at },
    { most: MEMBERS },
  ),
  of('client_users', { client_id: '1', user_id: 'i', role: `'Engineers'`, joined_at: at }, { most: MEMBERS }),
  of(
    'role_assignments',
    { client_id: '1', user_id: 'i', project_id: '1', role: `'Observer'`, assigned_by: '1', created_at: at },
    { most: MEMBERS },
  ),
  of(
    'api_tokens',
    {
      client_id: '1',
      user_id: '1 + i % 100',
      role: `'Engineers'`,
      name: `'token ' || i`,
      hash: `sha256(('token ' || i)::bytea)`,
      created_at: at,
    },
    { most: TOKENS },
  ),
  of(
    'custom_page_sets',
    { client_id: '1', name: `'thing ' || i`, pages: `'{}'`, created_at: at },
    { most: PAGE_SETS },
  ),
  of('webhook_targets', {
    client_id: '1 + i % 3',
    url: `'http://127.0.0.1:9/' || i`,
    ...sealed,
    created_at: at,
    kind: `case when i % 100 = 1 then 'user_actions' else 'events' end`,
    auth_header_name: `case when i % 100 = 1 then 'X-Token' end`,
  }),
  of('sign_ins', {
    client_id: '1',
    user_id: '1',
    at,
    ip: `'192.0.2.1'`,
    user_agent: `'curl'`,
    is_successful: 'i % 100 <> 1',
  }),
  of('mail_outbox', {
    client_id: '1',
    kind: `'quota'`,
    recipient: `'a@example.test'`,
    subject: `'mail ' || i`,
    body: `'text'`,
    message_id: 'i',
    created_at: at,
    next_attempt_at: at,
    sent_at: at,
  }),
  of('limits_requests', {
    client_id: '1',
    user_id: '1',
    description: `'more'`,
    requested_limits: `'{}'`,
    status: `case when i % 100 = 1 then 'rejected' else 'done' end`,
    created_at: at,
  }),
  of('ssh_keys', {
    id: id('ssh_keys'),
    client_id: '1',
    project_id: '1',
    user_id: '1 + i % 100',
    ...named,
    public_key: `'ssh-ed25519 A'`,
    fingerprint: `'a'`,
    shared_in_project: 'i % 3 > 0',
    created_at: at,
  }),
  of(
    'object_storages',
    {
      client_id: '1',
      region_id: '2',
      name: `'thing-' || i`,
      status: `case when i % 100 = 1 then 'deleting' else 'active' end`,
      created_at: at,
    },
    { most: STORAGES },
  ),
  of('storage_usage', { client_id: '1', storage_name: `'s'`, bucket_name: `'b' || i` }),
  of('webhook_deliveries', {
    id: id('deliveries'),
    event_id: id('events'),
    client_id: '1',
    url: `'http://127.0.0.1:9/'`,
    type: `case when i % 100 = 1 then 'quota' else 'user_action' end`,
    data: `'{}'`,
    state: `case when i % 100 = 1 then 'FAILED' else 'DELIVERED' end`,
    next_attempt_at: at,
    created_at: at,
    ended_at: at,
  }),
  of('audit_log', {
    at,
    client_id: '1',
    user_id: '1',
    token_id: '1',
    request_id: 'i',
    action: `'create_network'`,
    action_type: `case when i % 100 = 1 then 'delete' else 'create' end`,
    api_group: `case when i % 100 = 2 then 'loadbalancer' else 'network' end`,
    resource_type: `'network'`,
    subject: `'resource ' || i`,
    subject_name: `'thing ' || i`,
    project_id: 'case when i % 100 = 3 then null else 1 end',
    region_id: 'case when i % 100 = 3 then null else 2 end',
    address: `case when i % 100 = 4 then '192.0.2.200' else '192.0.2.1' end`,
    user_agent: `case when i % 100 = 5 then 'curl' else 'terraform' end`,
  }),
];
