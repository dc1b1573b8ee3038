import { Link } from '@tanstack/react-router';
import { faultOf } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { UnreadyPods } from './pods.tsx';
import type { ClusterState, ClusterStateQuery } from './state.ts';

type Node = ClusterState['nodes'][number];

const COLUMNS: readonly Column<Node>[] = [
  { label: 'Node', cell: ({ name }) => name },
  { label: 'Pool', cell: ({ pool_name: pool }) => pool },
  { label: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  { label: 'Since', cell: ({ since }) => <Time at={since} /> },
  { label: 'Why', cell: ({ reason }) => reason },
];

/** How a cluster is reached with kubectl, and which of its nodes and pods are not ready, with the reason. */
export function Connect({ name, state }: { readonly name: string; readonly state: ClusterStateQuery }) {
  const scope = useScope();
  if (!state.data)
    return state.error ? (
      <Card title="Connect">
        <FaultNote fault={faultOf(state.error)} retry={() => void state.refetch()} />
      </Card>
    ) : null;
  const {
    api_url: url,
    is_simulated: simulated,
    network_id: network,
    network_name,
    nodes,
    pods,
  } = state.data;
  const unready = nodes.filter(({ reason }) => reason !== null);
  return (
    <>
      <Facts
        facts={[
          {
            label: 'API address',
            wide: true,
            value: url ? <CopyText value={url} label="Copy API address" /> : 'none yet',
          },
          {
            label: 'Network',
            value:
              network_name === null ? (
                'its own'
              ) : (
                <Link className="link" to={pathIn(scope, 'networks', network)}>
                  {network_name}
                </Link>
              ),
          },
          {
            label: 'With kubectl',
            wide: true,
            value: (
              <>
                <CopyText
                  value={`kubectl --kubeconfig ${name}.kubeconfig get nodes`}
                  label="Copy kubectl command"
                />
                {simulated && <div>The region is simulated: nothing answers there.</div>}
              </>
            ),
          },
        ]}
      />
      {unready.length > 0 && (
        <Card title="Nodes that are not ready" aside={`${unready.length} of ${nodes.length}`}>
          <Table title="Nodes that are not ready" rows={unready} columns={COLUMNS} rowKey={({ id }) => id} />
        </Card>
      )}
      {pods && <UnreadyPods pods={pods} />}
    </>
  );
}
