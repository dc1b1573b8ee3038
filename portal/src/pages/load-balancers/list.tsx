import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathIn } from '../../api/scope.ts';
import { StatusBadge, wordOf } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import type { Search } from '../../ui/routing.tsx';
import { Tags } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteLoadBalancer, deleteAction, severalDeleted } from './delete.tsx';
import { failOver } from './verbs.tsx';

const LOAD_BALANCERS = '/cloud/v1/loadbalancers/{project_id}/{region_id}';

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
  textFilter('name', 'Name'),
  choiceFilter(
    'operating_status',
    'Health',
    choices(['ONLINE', 'DEGRADED', 'ERROR', 'OFFLINE', 'NO_MONITOR', 'DRAINING']),
  ),
  choiceFilter(
    'provisioning_status',
    'Change',
    choices(['ACTIVE', 'PENDING_CREATE', 'PENDING_UPDATE', 'PENDING_DELETE', 'ERROR']),
  ),
  textFilter('tag_key', 'Tag key'),
  choiceFilter(
    'assigned_floating',
    'Floating IP',
    optionsOf({ true: 'With a floating IP', false: 'Without one' }),
  ),
  choiceFilter('logging_enabled', 'Logging', optionsOf({ true: 'Logging on', false: 'Logging off' })),
] as const;

/** What is wrong is said first: a running change, else the health. */
export function Health({
  lb,
}: {
  readonly lb: Pick<LoadBalancer, 'operating_status' | 'provisioning_status' | 'listeners'>;
}) {
  const { provisioning_status: change, operating_status: health, listeners } = lb;
  if (change !== 'ACTIVE') return <StatusBadge status={change} />;
  // Nobody can connect to it, however well it is.
  if (health === 'ONLINE' && listeners.length === 0) return <StatusBadge status="No listeners" />;
  return <StatusBadge status={health} />;
}

/** The address as the call accepts it. */
const filtersOf = ({ tag_key, assigned_floating, logging_enabled, ...search }: Search) => ({
  name__contains: search.name,
  order_by: search.order_by as 'name.asc',
  operating_status: search.operating_status as 'ONLINE',
  provisioning_status: search.provisioning_status as 'ACTIVE',
  tag_key: tag_key ? [tag_key] : [],
  assigned_floating: assigned_floating ? assigned_floating === 'true' : undefined,
  logging_enabled: logging_enabled ? logging_enabled === 'true' : undefined,
});

/** The load balancers of a project in a region. */
export function LoadBalancers() {
  const { scope, params } = useListOfScope(filtersOf);
  const [doomed, setDoomed] = useState<LoadBalancer>();
  const result = useQuery(api.queryOptions('get', LOAD_BALANCERS, { params }));
  return (
    <>
      <NounPage<LoadBalancer, never>
        title="Load balancers"
        about="One address in front of several servers: it sends each connection to a server that is well."
        createPage={{
          label: 'Create load balancer',
          to: pathIn(scope, 'load-balancers', 'new'),
          call: () => needsOf('post', LOAD_BALANCERS, scope.project),
        }}
        filters={FILTERS}
        defaultOrder="created_at.desc"
        result={result}
        columns={COLUMNS}
        href={({ id }) => pathIn(scope, 'load-balancers', id)}
        actions={[failOver(scope), deleteAction(scope, setDoomed)]}
        several={severalDeleted(scope)}
        empty={{
          title: 'No load balancers here',
          about: 'Put one in front of two servers, and visitors no longer notice when one of them dies.',
          code: `curl ${location.origin}/cloud/v1/loadbalancers/${scope.project}/${scope.region} -H "Authorization: APIKey $API_TOKEN"`,
        }}
      />
      <DeleteLoadBalancer lb={doomed} close={() => setDoomed(undefined)} />
    </>
  );
}
