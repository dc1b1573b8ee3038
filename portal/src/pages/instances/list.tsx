import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathIn } from '../../api/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Tags } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import { useInstanceVerbs } from './verbs.tsx';

export type Instance = Schemas['Instance'];

/** The addresses of an instance, each once. */
export const addressesOf = (instance: Pick<Instance, 'fixed_ip_assignments'>): readonly string[] => [
  ...new Set((instance.fixed_ip_assignments ?? []).map(({ ip_address }) => ip_address)),
];

const COLUMNS: readonly Column<Instance>[] = [
  { label: 'Name', order: 'name', cell: ({ name }) => name },
  {
    label: 'Status',
    order: 'status',
    cell: ({ status, task_state }) => <StatusBadge status={status} detail={task_state ?? undefined} />,
  },
  {
    label: 'Address',
    cell: (instance) => {
      const [first, ...others] = addressesOf(instance);
      if (!first) return 'none';
      return (
        <>
          <CopyText value={first} label="Copy address" />
          {others.length > 0 && ` +${others.length}`}
        </>
      );
    },
  },
  { label: 'Size', cell: ({ flavor }) => `${flavor.vcpus} CPU, ${flavor.ram / 1024} GiB` },
  { label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  { label: 'Created', order: 'created', cell: ({ created_at }) => <Time at={created_at} /> },
];

const STATUSES = optionsOf({
  ACTIVE: 'Active',
  SHUTOFF: 'Stopped',
  SUSPENDED: 'Suspended',
  BUILD: 'Being built',
  ERROR: 'Failed',
});

/** The instances of a project in a region. */
export function Instances() {
  const { scope, params } = useListOfScope(({ nodes, name, ip, status, order_by }) => ({
    include_k8s: nodes === 'yes',
    name,
    ip,
    status: status as 'ACTIVE',
    order_by: order_by as 'name.asc',
  }));
  const { actions, verbs, remove } = useInstanceVerbs(scope);
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/instances/{project_id}/{region_id}', { params }),
  );
  return (
    <NounPage<Instance, never>
      title="Instances"
      about="Virtual machines with volumes, addresses and firewall rules of their own."
      createPage={{
        label: 'Create instance',
        to: pathIn(scope, 'instances', 'new'),
        call: () => needsOf('post', '/cloud/v2/instances/{project_id}/{region_id}', scope.project),
      }}
      filters={[
        textFilter('name', 'Name'),
        textFilter('ip', 'Address'),
        choiceFilter('status', 'Status', STATUSES),
        choiceFilter('nodes', 'Nodes of clusters', [{ value: 'yes', label: 'Show nodes of clusters' }]),
      ]}
      defaultOrder="created.desc"
      result={result}
      columns={COLUMNS}
      href={({ id }) => pathIn(scope, 'instances', id)}
      actions={actions}
      verbs={verbs}
      remove={remove}
      empty={{
        title: 'No instances here',
        about: 'Create one from an image, and sign in with your SSH key.',
        code: 'ssh ubuntu@ADDRESS',
      }}
    />
  );
}
