import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathIn, pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
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

/** The machines of a project in a region. */
export function Instances() {
  const place = usePlace();
  const { page, search } = useListSearch();
  const { actions, verbs, remove } = useInstanceVerbs(place);
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/instances/{project_id}/{region_id}', {
      params: {
        path: pathParams(place),
        query: {
          ...page,
          include_k8s: search.nodes === 'yes',
          ...(search.name ? { name: search.name } : {}),
          ...(search.ip ? { ip: search.ip } : {}),
          ...(search.status ? { status: search.status as 'ACTIVE' } : {}),
          ...(search.order_by ? { order_by: search.order_by as 'name.asc' } : {}),
        },
      },
    }),
  );
  return (
    <NounPage<Instance, never>
      title="Instances"
      about="Virtual machines with volumes, addresses and firewall rules of their own."
      createPage={{
        label: 'Create instance',
        to: pathIn(place, 'instances', 'new'),
        call: () => needsOf('post', '/cloud/v2/instances/{project_id}/{region_id}', place.project),
      }}
      filters={[
        { kind: 'text', key: 'name', label: 'Name' },
        { kind: 'text', key: 'ip', label: 'Address' },
        { kind: 'choice', key: 'status', label: 'Status', options: STATUSES },
        {
          kind: 'choice',
          key: 'nodes',
          label: 'Nodes of clusters',
          options: [{ value: 'yes', label: 'Show nodes of clusters' }],
        },
      ]}
      defaultOrder="created.desc"
      result={result as never}
      columns={COLUMNS}
      idOf={({ id }) => id}
      href={({ id }) => pathIn(place, 'instances', id)}
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
