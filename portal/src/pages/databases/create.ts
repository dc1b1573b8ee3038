import type { Schemas } from '../../api/client.ts';
import { apiCall } from '../../api/client.ts';
import { pathIn, pathParams, type Scope } from '../../api/scope.ts';
import { numberField, optionField, textField } from '../../ui/fields.ts';
import { type FormOptions, text, type Values } from '../../ui/side-form.tsx';
import { list, number } from '../../ui/values.ts';
import { aclField, LETTERS, MODES, REPLICATIONS } from './fields.tsx';
import { flavorKey, flavorOf, flavorWords } from './queries.ts';

type Body = Schemas['CreatePostgresqlCluster'];
/** What the region offers, or why that could not be read. */
interface Requested {
  readonly data: Schemas['PostgresqlConfiguration'] | undefined;
  readonly error: unknown;
}

const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}';

/** The form that makes a cluster of what the region offers. */
export const createForm = (scope: Scope, offer: Requested): FormOptions<Body> => ({
  title: 'Create cluster',
  fields: fieldsOf(offer),
  body: bodyOf,
  request: (body) => apiCall('post', CLUSTERS, { params: { path: pathParams(scope) }, body }),
  opens: ({ cluster_name: name }) => pathIn(scope, 'databases', name),
});

const fieldsOf = (from: Requested): FormOptions<Body>['fields'] => [
  textField('cluster_name', 'Name', { about: 'Lowercase letters, digits and “-”' }),
  optionField(
    'version',
    'Version',
    (from.data?.versions ?? []).map((value) => ({ value, label: `PostgreSQL ${value}` })),
    { first: true, fault: 'pg_server_configuration.version', from },
  ),
  optionField(
    'flavor',
    'Size',
    (from.data?.flavors ?? []).map((one) => ({ value: flavorKey(one), label: flavorWords(one) })),
    { first: true, from },
  ),
  numberField('size', 'Storage in GiB', {
    about: 'It can grow later, and does not shrink',
    min: 1,
    max: 100,
    initial: 10,
    fault: 'storage.size_gib',
  }),
  optionField(
    'storage',
    'Storage type',
    (from.data?.storage_classes ?? []).map(({ name }) => ({ value: name, label: name })),
    { first: true, fault: 'storage.type', from },
  ),
  aclField([]),
  { key: 'database', label: 'First database', about: LETTERS, kind: 'text', fault: 'databases' },
  textField('user', 'Its owner', {
    about: `${LETTERS}. Its password is the last step, on the page of the cluster.`,
    initial: 'app',
    fault: 'users',
  }),
  {
    key: 'replication',
    label: 'Replica',
    about: 'A second server that takes over when the first is lost',
    kind: 'choice',
    options: REPLICATIONS,
    placeholder: 'None',
    fault: 'high_availability',
  },
  {
    key: 'pooler',
    label: 'Pooler',
    about: 'Lets many clients share few connections',
    kind: 'choice',
    options: MODES,
    placeholder: 'None',
    fault: 'pg_server_configuration.pooler',
  },
];

function bodyOf(values: Values): Body {
  const user = text(values, 'user');
  const database = text(values, 'database');
  const replication = text(values, 'replication');
  const mode = text(values, 'pooler');
  return {
    cluster_name: text(values, 'cluster_name'),
    flavor: flavorOf(text(values, 'flavor')),
    storage: { size_gib: number(values, 'size') ?? 0, type: text(values, 'storage') },
    network: { network_type: 'public', acl: [...list(values, 'acl')] },
    high_availability: replication ? { replication_mode: replication as 'sync' } : null,
    pg_server_configuration: {
      version: text(values, 'version'),
      pg_conf: '',
      ...(mode ? { pooler: { mode: mode as 'session', type: 'pgbouncer' as const } } : {}),
    },
    users: user ? [{ name: user, role_attributes: ['LOGIN'] }] : [],
    databases: database ? [{ name: database, owner: user }] : [],
  };
}
