import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathIn, pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge, wordOf } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { copyId, whyBusy } from '../../ui/delete-action.tsx';
import type { Search } from '../../ui/filters.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Tags } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteLoadBalancer, deletionOf } from './delete.tsx';
import { failOver } from './verbs.tsx';

export type LoadBalancer = Schemas['LoadBalancer'];

const COLUMNS: readonly Column<LoadBalancer>[] = [
  { label: 'Name', order: 'name', cell: ({ name }) => name },
  { label: 'Health', order: 'operating_status', cell: (lb) => <Health lb={lb} /> },
  {
    label: 'Address',
    order: 'vip_address',
    cell: ({ vip_address }) =>
      vip_address ? <CopyText value={vip_address} label="Copy address" /> : 'none yet',
  },
  { label: 'Listeners', cell: ({ listeners }) => listeners.length, end: true },
  { label: 'Size', order: 'flavor', cell: ({ flavor }) => flavor?.flavor_name ?? 'default', wideOnly: true },
  { label: 'Tags', cell: ({ tags_v2 }) => <Tags tags={tags_v2} />, wideOnly: true },
  { label: 'Created', order: 'created_at', cell: ({ created_at }) => <Time at={created_at} /> },
];

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: wordOf(value) }));

const FILTERS = [
  { kind: 'text', key: 'name', label: 'Name' },
  {
    kind: 'choice',
    key: 'operating_status',
    label: 'Health',
    options: choices(['ONLINE', 'DEGRADED', 'ERROR', 'OFFLINE', 'NO_MONITOR', 'DRAINING']),
  },
  {
    kind: 'choice',
    key: 'provisioning_status',
    label: 'Change',
    options: choices(['ACTIVE', 'PENDING_CREATE', 'PENDING_UPDATE', 'PENDING_DELETE', 'ERROR']),
  },
  { kind: 'text', key: 'tag_key', label: 'Tag key' },
  {
    kind: 'choice',
    key: 'assigned_floating',
    label: 'Floating IP',
    options: optionsOf({ true: 'With a floating IP', false: 'Without one' }),
  },
  {
    kind: 'choice',
    key: 'logging_enabled',
    label: 'Logging',
    options: optionsOf({ true: 'Logging on', false: 'Logging off' }),
  },
] as const;

/** What is wrong is said first: a running change, else the health. */
export function Health({
  lb,
}: {
  readonly lb: Pick<LoadBalancer, 'operating_status' | 'provisioning_status'>;
}) {
  return (
    <StatusBadge
      status={lb.provisioning_status === 'ACTIVE' ? lb.operating_status : lb.provisioning_status}
    />
  );
}

/** The address as the call accepts it. */
function filtersOf(search: Search) {
  const {
    name,
    order_by,
    operating_status,
    provisioning_status,
    tag_key,
    assigned_floating,
    logging_enabled,
  } = search;
  return {
    ...(name ? { name } : {}),
    ...(order_by ? { order_by: order_by as 'name.asc' } : {}),
    ...(operating_status ? { operating_status: operating_status as 'ONLINE' } : {}),
    ...(provisioning_status ? { provisioning_status: provisioning_status as 'ACTIVE' } : {}),
    ...(tag_key ? { tag_key: [tag_key] } : {}),
    ...(assigned_floating ? { assigned_floating: assigned_floating === 'true' } : {}),
    ...(logging_enabled ? { logging_enabled: logging_enabled === 'true' } : {}),
  };
}

export function LoadBalancers() {
  const place = usePlace();
  const [doomed, setDoomed] = useState<LoadBalancer>();
  const path = pathParams(place);
  const { search, page } = useListSearch();
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}', {
      params: { path, query: { ...page, ...filtersOf(search) } },
    }),
  );
  const create = {
    label: 'Create load balancer',
    to: pathIn(place, 'load-balancers', 'new'),
    call: () => needsOf('post', '/cloud/v1/loadbalancers/{project_id}/{region_id}', place.project),
  };
  return (
    <>
      <ListPage<LoadBalancer>
        title="Load balancers"
        about="One address in front of several servers: it sends each connection to a server that is well."
        create={create}
        filters={FILTERS}
        defaultOrder="created_at.desc"
        result={result}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => pathIn(place, 'load-balancers', id)}
        actions={[
          copyId(({ id }) => id),
          failOver(place),
          {
            label: 'Delete…',
            danger: true,
            disabled: whyBusy,
            run: setDoomed,
            call: ({ id }) => deletionOf(place, id),
          },
        ]}
        empty={{
          title: 'No load balancers here',
          about: 'Put one in front of two servers, and visitors no longer notice when one of them dies.',
          action: create,
          code: `curl ${location.origin}/cloud/v1/loadbalancers/${place.project}/${place.region} -H "Authorization: APIKey $API_TOKEN"`,
        }}
      />
      <DeleteLoadBalancer lb={doomed} close={() => setDoomed(undefined)} />
    </>
  );
}
