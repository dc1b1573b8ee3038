import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { oneOf } from '../../ui/values.ts';
import { AddressRanges, Capacity } from './capacity.tsx';

type Region = Schemas['Region'];

const can = (able: boolean) => <StatusBadge status={able ? 'Supported' : 'Not supported'} />;

const COLUMNS: readonly Column<Region>[] = [
  { label: 'Name', order: 'display_name', cell: ({ display_name }) => display_name },
  { label: 'Status', cell: ({ state }) => <StatusBadge status={state} /> },
  { label: 'Id', cell: ({ id }) => id, end: true },
  { label: 'Instances', cell: ({ has_kvm }) => can(has_kvm) },
  { label: 'Kubernetes', cell: ({ has_k8s }) => can(has_k8s) },
  { label: 'PostgreSQL', cell: ({ has_dbaas }) => can(has_dbaas) },
  { label: 'DDoS', cell: ({ has_ddos }) => can(has_ddos), wideOnly: true },
  {
    label: 'Volume types',
    cell: ({ available_volume_types }) => available_volume_types?.join(', ') || 'all',
    wideOnly: true,
  },
];

const FIRST = 'display_name.asc';
const ORDERS = [FIRST, 'display_name.desc', 'created_at.asc', 'created_at.desc'] as const;

/** Where things run, and what each region can do here and now. */
export function Regions() {
  const { page, search } = useListSearch();
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/regions', {
      params: {
        query: { ...page, show_volume_types: true, order_by: oneOf(ORDERS, search.order_by) ?? FIRST },
      },
    }),
  );
  const ids = (result.data?.results ?? []).map(({ id }) => id);
  return (
    <>
      <ListPage<Region>
        title="Regions"
        about="Where things run, and what each can do here and now. They are set in the file that VIRGA_REGIONS names."
        defaultOrder={FIRST}
        result={result}
        columns={COLUMNS}
        empty={{ title: 'No regions', about: 'Name some in the file of VIRGA_REGIONS.' }}
      />
      <Capacity regionIds={ids} />
      <AddressRanges regionIds={ids} />
    </>
  );
}
