import { useQuery } from '@tanstack/react-query';
import { clusterVersions, nodeFlavors, sshKeys } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn, type Scope } from '../../api/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { choiceField, numberField, textField } from '../../ui/fields.ts';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { type Field, text, type Values } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { texts } from '../../ui/values.ts';
import { AddSshKey } from '../ssh-keys/form.tsx';
import { CLUSTERS, nodesOf, removal } from './removal.ts';

type Cluster = Schemas['K8sCluster'];

const COLUMNS: readonly Column<Cluster>[] = [
  { label: 'Name', cell: ({ name }) => name },
  {
    label: 'Status',
    cell: ({ status, task_id }) => (
      <StatusBadge status={task_id && status === 'Provisioned' ? 'PENDING_UPDATE' : status} />
    ),
  },
  { label: 'Version', cell: ({ version }) => version },
  { label: 'Pools', cell: ({ pools }) => pools.length, end: true },
  { label: 'Nodes', cell: nodesOf, end: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Clusters of Kubernetes. */
export function Clusters() {
  const { scope, path, params } = useListOfScope();
  const result = useQuery(api.queryOptions('get', CLUSTERS, { params }));
  return (
    <NounPage
      title="Kubernetes"
      about="Clusters whose nodes heal themselves, and are replaced one by one when you upgrade."
      result={result}
      columns={COLUMNS}
      href={({ name }) => pathIn(scope, 'kubernetes', name)}
      remove={removal(scope)}
      empty={{
        title: 'No clusters here',
        about: 'Create one, then watch its nodes come up, be replaced and come back.',
      }}
      form={{
        title: 'Create cluster',
        fields: fieldsOf(scope),
        body: bodyOf,
        request: (body) => apiCall('post', CLUSTERS, { params: { path }, body }),
        opens: ({ name }) => pathIn(scope, 'kubernetes', name),
      }}
    />
  );
}

const bodyOf = (values: Values) => ({
  ...texts(values, 'name', 'version', 'keypair'),
  pools: [
    {
      name: text(values, 'pool'),
      flavor_id: text(values, 'flavor'),
      min_node_count: Number(values.nodes),
      max_node_count: Math.max(Number(values.nodes), Number(values.most)),
      auto_healing_enabled: values.healing === true,
    },
  ],
});

/** What the region offers is asked for when the form is opened. */
const fieldsOf = (scope: Scope): readonly Field[] => [
  textField('name', 'Name'),
  choiceField('version', 'Version', clusterVersions(scope)),
  choiceField('keypair', 'SSH key', sshKeys(scope), {
    first: false,
    about: 'For signing in to the nodes',
    beside: (choose) => <AddSshKey project={scope.project} choose={choose} />,
  }),
  textField('pool', 'Name of the first pool', { initial: 'workers', fault: 'pools.0.name' }),
  choiceField('flavor', 'Size of its nodes', nodeFlavors(scope), { fault: 'pools.0.flavor_id' }),
  numberField('nodes', 'Nodes', { min: 1, max: 20, initial: 3, fault: 'pools.0.min_node_count' }),
  {
    key: 'most',
    label: 'Maximum nodes',
    kind: 'number',
    min: 1,
    max: 20,
    initial: 5,
    fault: 'pools.0.max_node_count',
  },
  { key: 'healing', label: 'Replace unhealthy nodes', kind: 'switch', initial: true },
];
