import { nodeFlavors } from '../../api/choices.ts';
import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useDelete } from '../../ui/delete-action.tsx';
import { choiceField, numberField, textField } from '../../ui/fields.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import type { Field, Values } from '../../ui/side-form.tsx';
import { text } from '../../ui/values.ts';

const POOLS = '/cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}/pools';

type Cluster = Schemas['K8sCluster'];
type Pool = Cluster['pools'][number];

const MOST = 20;
const BUSY = 'A task is changing the cluster';
const HEALING: Field = { key: 'healing', label: 'Replace unhealthy nodes', kind: 'switch' };

const boundsOf = (values: Values) => ({
  min_node_count: Number(values.nodes),
  max_node_count: Math.max(Number(values.nodes), Number(values.most)),
  auto_healing_enabled: values.healing === true,
});

const boundFields = (least: number, most: number): readonly Field[] => [
  numberField('nodes', 'Minimum nodes', { min: 1, max: MOST, initial: least, fault: 'min_node_count' }),
  numberField('most', 'Maximum nodes', {
    about: 'It grows up to here when something has no room on its nodes',
    min: 1,
    max: MOST,
    initial: most,
    fault: 'max_node_count',
  }),
];

/** The verb that gives a cluster another pool. */
export function useAddPool(scope: Scope): RowVerb<Cluster> {
  return useRowForm<Cluster, Schemas['CreateK8sPool']>({
    label: 'Add pool…',
    disabled: ({ task_id }) => (task_id ? BUSY : undefined),
    form: ({ name }) => ({
      title: `Add pool to ${name}`,
      verb: 'Add pool',
      fields: [
        textField('name', 'Name'),
        choiceField('flavor', 'Size of its nodes', nodeFlavors(scope), { fault: 'flavor_id' }),
        ...boundFields(1, 3),
        { ...HEALING, initial: true },
      ],
      body: (values) => ({
        name: text(values, 'name'),
        flavor_id: text(values, 'flavor'),
        ...boundsOf(values),
      }),
      request: (body) =>
        apiCall('post', POOLS, { params: { path: { ...pathParams(scope), cluster_name: name } }, body }),
    }),
  });
}

/** What can be done with a pool of a cluster. */
export function usePoolVerbs(scope: Scope, cluster: Cluster): readonly RowVerb<Pool>[] {
  const path = (pool: Pool) => ({
    ...pathParams(scope),
    cluster_name: cluster.name,
    pool_name: pool.name,
  });
  const disabled = () => (cluster.task_id ? BUSY : undefined);
  const resize = useRowForm<Pool, Schemas['ResizeK8sPool']>({
    label: 'Resize…',
    disabled,
    form: (pool) => ({
      title: `Resize ${pool.name}`,
      about: `It may have ${pool.min_node_count} to ${pool.max_node_count} nodes.`,
      fields: [
        numberField('node_count', 'Nodes', {
          min: pool.min_node_count,
          max: pool.max_node_count ?? MOST,
          initial: pool.node_count,
        }),
      ],
      body: (values) => ({ node_count: Number(values.node_count) }),
      request: (body) =>
        apiCall('post', `${POOLS}/{pool_name}/resize`, { params: { path: path(pool) }, body }),
    }),
  });
  const edit = useRowForm<Pool, Schemas['UpdateK8sPool']>({
    label: 'Change limits…',
    disabled,
    form: (pool) => ({
      title: `Change limits of ${pool.name}`,
      verb: 'Save',
      fields: [
        ...boundFields(pool.min_node_count, pool.max_node_count ?? pool.min_node_count),
        { ...HEALING, initial: pool.auto_healing_enabled },
      ],
      body: boundsOf,
      request: (body) => apiCall('patch', `${POOLS}/{pool_name}`, { params: { path: path(pool) }, body }),
    }),
  });
  const remove = useDelete<Pool>({
    kind: 'pool',
    consequences: ({ node_count }) =>
      `${node_count === 1 ? 'Its node goes' : `Its ${node_count} nodes go`} with it. What runs there moves to nodes of other pools, where there is room.`,
    askName: () => true,
    disabled: () => disabled() ?? (cluster.pools.length === 1 ? 'A cluster keeps one pool' : undefined),
    call: (pool) => apiCall('delete', `${POOLS}/{pool_name}`, { params: { path: path(pool) } }),
  });
  return [resize, edit, remove];
}
