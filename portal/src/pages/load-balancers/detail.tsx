import { Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiCall, faultOf } from '../../api/client.ts';
import { pathIn, pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { TopologyPicture } from '../../pictures/topology.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { bytes } from '../../ui/bytes.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { Copy, CopyText } from '../../ui/copy.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { DetailTabs } from '../../ui/detail.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { FromBefore } from '../../ui/from-before.tsx';
import { Card, Empty, Facts, PageHead } from '../../ui/page.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { actionsOf, Dialogs } from '../../ui/row-form.tsx';
import { ActionsMenu, type RowAction } from '../../ui/row-menu.tsx';
import { tagFacts } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import { WhereItLives } from '../../ui/where-it-lives.tsx';
import { DeleteLoadBalancer, deleteAction } from './delete.tsx';
import { Health, type LoadBalancer } from './list.tsx';
import { Listeners } from './listeners.tsx';
import { Logs } from './logs.tsx';
import { Metrics } from './metrics.tsx';
import { Policies } from './policies.tsx';
import { Pools } from './pools.tsx';
import { useLoadBalancer } from './queries.ts';
import { topologyOf } from './topology.ts';
import { failOver, useLoadBalancerForms } from './verbs.tsx';

/** One load balancer: what it is, how it is, and the way of a request through it. */
export function LoadBalancerDetail() {
  const scope = useScope();
  const { id } = useParams({ strict: false }) as { id: string };
  const { lb, listeners, pools, policies, isKnown, error, old, again } = useLoadBalancer(scope, id);
  if (!lb) return <NotShown error={error} retry={again} />;
  if (!isKnown)
    return (
      <>
        <Head lb={lb} />
        <LoadBalancerFacts lb={lb} />
        {error ? <FaultNote fault={faultOf(error)} retry={again} /> : <Skeleton height={320} />}
      </>
    );
  const topology = topologyOf({ lb, listeners, pools, policies });
  return (
    <>
      <Head lb={lb} />
      <FromBefore query={old} />
      <LoadBalancerFacts lb={lb} />
      <WhereItLives id={lb.id} />
      <Card
        title="Request path"
        aside={lb.task_id && <StatusBadge status="PENDING_UPDATE" detail={`Task ${lb.task_id}`} />}
      >
        {listeners.length === 0 ? (
          <Empty title="It listens to nothing yet" about="Open Listeners below, and add the first." />
        ) : (
          <TopologyPicture topology={topology} label={`Request path through ${lb.name}`} />
        )}
      </Card>
      <Parts
        lb={lb}
        pools={<Pools lb={lb} listeners={listeners} pools={pools} />}
        listeners={<Listeners lb={lb} listeners={listeners} />}
        policies={<Policies lb={lb} listeners={listeners} pools={pools} policies={policies} />}
        logs={<Logs lb={lb} pools={pools} />}
      />
    </>
  );
}

function NotShown({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const back = { to: pathIn(useScope(), 'load-balancers'), label: 'Load balancers' };
  return (
    <>
      <PageHead title="Load balancer" back={back} />
      {error ? <FaultNote fault={faultOf(error)} retry={retry} others={back} /> : <Skeleton height={320} />}
    </>
  );
}

function Head({ lb }: { readonly lb: LoadBalancer }) {
  const scope = useScope();
  const navigate = useNavigate();
  const [deleting, ask] = useDisclosure(false);
  const forms = useLoadBalancerForms(scope);
  const list = pathIn(scope, 'load-balancers');
  const path = { ...pathParams(scope), load_balancer_id: lb.id };
  const verb = lb.admin_state_up ? 'Disable' : 'Enable';
  // Why it is busy stands once above all of them.
  const disabled = (one: LoadBalancer) => (whyBusy(one) === undefined ? undefined : '');
  const actions: readonly RowAction<LoadBalancer>[] = [
    ...actionsOf(forms).map((action) => ({ ...action, disabled })),
    { ...failOver(scope), disabled },
    rowCall({
      label: verb,
      title: ({ name }) => `${verb} ${name}`,
      call: () =>
        apiCall('patch', '/cloud/v2/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
          params: { path },
          body: { admin_state_up: !lb.admin_state_up },
        }),
      disabled,
    }),
    deleteAction(scope, ask.open, disabled),
  ];
  return (
    <PageHead
      back={{ to: list, label: 'Load balancers' }}
      title={
        <>
          {lb.name} <Health lb={lb} />
          <Copy value={lb.id} />
        </>
      }
    >
      <ActionsMenu row={lb} actions={actions} note={whyBusy(lb)} />
      <Dialogs verbs={forms} />
      <DeleteLoadBalancer
        lb={deleting ? lb : undefined}
        close={ask.close}
        deleted={() => void navigate({ to: list })}
      />
    </PageHead>
  );
}

function LoadBalancerFacts({ lb }: { readonly lb: LoadBalancer }) {
  const { stats } = lb;
  return (
    <Facts
      facts={[
        {
          label: 'Address',
          value: lb.vip_address ? <CopyText value={lb.vip_address} label="Copy address" /> : 'none yet',
        },
        ...lb.additional_vips.map(({ ip_address }) => ({
          label: 'Second address',
          value: <CopyText value={ip_address} label="Copy address" />,
        })),
        ...lb.floating_ips.map(({ floating_ip_address }) => ({
          label: 'Floating IP',
          value: <CopyText value={floating_ip_address ?? ''} label="Copy address" />,
        })),
        { label: 'Size', value: lb.flavor?.flavor_name ?? 'default' },
        { label: 'Open connections', value: stats?.active_connections.toLocaleString() ?? 'not counted' },
        { label: 'Total connections', value: stats?.total_connections.toLocaleString() ?? 'not counted' },
        {
          label: 'Bytes in / out',
          value: stats ? `${bytes(stats.bytes_in)} / ${bytes(stats.bytes_out)}` : 'not counted',
        },
        { label: 'Failed requests', value: stats?.request_errors.toLocaleString() ?? 'not counted' },
        { label: 'Created', value: <Time at={lb.created_at} /> },
        ...tagFacts(lb.tags_v2),
      ]}
    />
  );
}

interface PartsProps {
  readonly lb: LoadBalancer;
  readonly pools: ReactNode;
  readonly listeners: ReactNode;
  readonly policies: ReactNode;
  readonly logs: ReactNode;
}

function Parts({ lb, pools, listeners, policies, logs }: PartsProps) {
  const scope = useScope();
  return (
    <DetailTabs
      tabs={[
        { key: 'members', label: 'Pools and members', body: pools },
        { key: 'listeners', label: 'Listeners', body: listeners },
        { key: 'policies', label: 'Policies', body: policies },
        { key: 'metrics', label: 'Metrics', body: <Metrics id={lb.id} /> },
        { key: 'logs', label: 'Log', body: logs },
        { key: 'code', label: 'Code', body: <CodePanel call={call(scope, lb.id)} /> },
      ]}
    />
  );
}

const call = (scope: Scope, id: string) =>
  apiCall('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
    params: { path: { ...pathParams(scope), load_balancer_id: id }, query: { show_stats: true } },
  });
