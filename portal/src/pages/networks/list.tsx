import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { whyBusy } from '../../ui/delete-action.tsx';
import { textField } from '../../ui/fields.ts';
import { textFilter } from '../../ui/filters.tsx';
import { toCreated } from '../../ui/follow-task.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { type Field, text } from '../../ui/side-form.tsx';
import { Tags } from '../../ui/tags.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';

const NETWORKS = '/cloud/v1/networks/{project_id}/{region_id}';

type Network = Schemas['Network'];

const COLUMNS: readonly Column<Network>[] = [
  { label: 'Name', order: 'name', cell: ({ name }) => name },
  { label: 'Kind', cell: (network) => kindOf(network) },
  { label: 'Subnets', cell: ({ subnets }) => subnets.length, end: true },
  { label: 'MTU', cell: ({ mtu }) => mtu, end: true, wideOnly: true },
  { label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  { label: 'Created', order: 'created_at', cell: ({ created_at }) => <Time at={created_at} /> },
];

const FIELDS: readonly Field[] = [
  textField('name', 'Name'),
  {
    key: 'create_router',
    label: 'Create a router for it',
    about: 'Its subnets reach each other and the outside',
    kind: 'switch',
    initial: true,
  },
];

export function kindOf({ external, shared, type }: Network): string {
  if (external) return 'External';
  return shared ? 'Shared' : `Private (${type})`;
}

export function Networks() {
  const { scope, path, params } = useListOfScope(({ name, order_by }) => ({
    name__contains: name,
    order_by: order_by as 'name.asc',
  }));
  const result = useQuery(api.queryOptions('get', NETWORKS, { params }));
  return (
    <NounPage
      title="Networks"
      about="A network of your own: what stands on one of its subnets reaches the others on it, and nobody else does."
      filters={[textFilter('name', 'Name')]}
      defaultOrder="created_at.desc"
      result={result}
      columns={COLUMNS}
      href={({ id }) => pathIn(scope, 'networks', id)}
      empty={{
        title: 'No networks here',
        about: 'Create one, and put load balancers, instances and clusters on its subnets.',
      }}
      remove={{
        kind: 'network',
        consequences: ({ subnets }) =>
          `${whatGoes(subnets.length)}A network that something is connected to stays.`,
        askName: ({ subnets }) => subnets.length > 0,
        disabled: (network) => (network.external ? 'It belongs to the region' : whyBusy(network)),
        call: ({ id }) =>
          apiCall('delete', `${NETWORKS}/{network_id}`, { params: { path: { ...path, network_id: id } } }),
      }}
      form={{
        title: 'Create network',
        fields: FIELDS,
        body: (values) => ({ name: text(values, 'name'), create_router: values.create_router === true }),
        request: (body) => apiCall('post', NETWORKS, { params: { path }, body }),
        terraform: (body) => terraform('gcore_network', body.name, scope, { ...body }),
        to: toCreated(scope, 'networks'),
      }}
    />
  );
}

function whatGoes(subnets: number): string {
  if (subnets === 0) return '';
  return subnets === 1 ? 'Its subnet is deleted, too. ' : `Its ${subnets} subnets are deleted, too. `;
}
