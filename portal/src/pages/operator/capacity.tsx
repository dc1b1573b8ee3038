import { useQueries } from '@tanstack/react-query';
import { every, type Schemas } from '../../api/client.ts';
import { operatorApi } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { bytes } from '../../ui/bytes.ts';
import { Card } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Row = Schemas['Capacity'] & { readonly region: string };

const RESOURCES: Readonly<Record<Row['resource'], string>> = {
  disk: 'Disk',
  memory: 'Memory',
  addresses_ipv4: 'IPv4 addresses',
  addresses_ipv6: 'IPv6 addresses',
  kubernetes_networks: 'Kubernetes networks',
};
const STATUSES: Readonly<Record<Row['status'], string>> = {
  ok: 'Enough room',
  low: 'Running low',
  full: 'Full',
};

const amount = (value: number, unit: Row['unit']) =>
  unit === 'MiB' ? bytes(value * 2 ** 20) : value.toLocaleString('en');

const COLUMNS: readonly Column<Row>[] = [
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Resource', cell: ({ resource }) => RESOURCES[resource] },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={STATUSES[status]} /> },
  { label: 'Used', cell: ({ used, unit }) => amount(used, unit), end: true },
  { label: 'Free', cell: ({ free, unit }) => amount(free, unit), end: true },
  { label: 'Total', cell: ({ total, unit }) => amount(total, unit), end: true },
  {
    label: 'Warns below',
    cell: ({ warn_free, unit }) => amount(warn_free, unit),
    end: true,
    wideOnly: true,
  },
  {
    label: 'Nothing new below',
    cell: ({ stop_free, unit }) => amount(stop_free, unit),
    end: true,
    wideOnly: true,
  },
  { label: 'Observed', cell: ({ observed_at }) => <Time at={observed_at} />, wideOnly: true },
];

/** How much room the machines of regions have. Nothing for regions without limits. */
export function Capacity({ regionIds }: { readonly regionIds: readonly number[] }) {
  const rows = useQueries({
    queries: regionIds.map((region_id) => ({
      ...operatorApi.queryOptions('get', '/virga/v1/regions/{region_id}/capacity', {
        params: { path: { region_id } },
      }),
      ...every(10_000),
    })),
    combine: (results) =>
      results.flatMap(({ data }) =>
        (data?.results ?? []).map((each): Row => ({ ...each, region: data?.region_name ?? '' })),
      ),
  });
  if (rows.length === 0) return null;
  return (
    <Card title="Capacity">
      <Table
        title="Capacity of regions"
        rows={rows}
        columns={COLUMNS}
        rowKey={({ region, resource }) => `${region} ${resource}`}
      />
    </Card>
  );
}

type RangeRow = Schemas['AddressRange'] & { readonly region: string };

const RANGE_COLUMNS: readonly Column<RangeRow>[] = [
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Range', cell: ({ range }) => <code>{range}</code> },
  { label: 'Interface', cell: (each) => each.interface },
  { label: 'Used', cell: ({ used }) => used.toLocaleString('en'), end: true },
  { label: 'Free', cell: ({ free }) => free.toLocaleString('en'), end: true },
  { label: 'Excluded', cell: ({ excluded }) => excluded.toLocaleString('en'), end: true },
  { label: 'Excluded', cell: ({ exclude }) => exclude.join(', ') || 'its first and last address' },
];

/** Where the addresses of regions come from that others can reach. Nothing for regions on loopback. */
export function AddressRanges({ regionIds }: { readonly regionIds: readonly number[] }) {
  const rows = useQueries({
    queries: regionIds.map((region_id) => ({
      ...operatorApi.queryOptions('get', '/virga/v1/regions/{region_id}/address_ranges', {
        params: { path: { region_id } },
      }),
      ...every(10_000),
    })),
    combine: (results) =>
      results.flatMap(({ data }) =>
        (data?.results ?? []).map((each): RangeRow => ({ ...each, region: data?.region_name ?? '' })),
      ),
  });
  if (rows.length === 0) return null;
  return (
    <Card title="Addresses that others can reach">
      <Table
        title="Ranges of addresses"
        rows={rows}
        columns={RANGE_COLUMNS}
        rowKey={({ region, range }) => `${region} ${range}`}
      />
    </Card>
  );
}
