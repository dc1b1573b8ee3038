import { Card } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { ClusterState } from './state.ts';

type Pods = NonNullable<ClusterState['pods']>;
type Unready = Pods['not_ready'][number];
type Namespace = Pods['namespaces'][number];

const UNREADY: readonly Column<Unready>[] = [
  { label: 'Pod', cell: ({ namespace, name }) => `${namespace}/${name}` },
  { label: 'Node', cell: ({ node }) => node ?? 'none yet' },
  { label: 'Status', cell: ({ reason }) => reason },
  { label: 'Restarts', cell: ({ restarts }) => restarts, end: true },
  { label: 'Since', cell: ({ since }) => <Time at={since} /> },
  { label: 'Why', cell: ({ message }) => message },
];

const NAMESPACES: readonly Column<Namespace>[] = [
  { label: 'Namespace', cell: ({ name }) => name },
  { label: 'Pods', cell: ({ count }) => count, end: true },
  { label: 'Running', cell: ({ running }) => running, end: true },
  { label: 'Pending', cell: ({ pending }) => pending, end: true },
  { label: 'Succeeded', cell: ({ succeeded }) => succeeded, end: true },
  { label: 'Failed', cell: ({ failed, unknown }) => failed + unknown, end: true },
];

/** Pods of a cluster that should be ready and are not, with the reason. */
export function UnreadyPods({ pods }: { readonly pods: Pods }) {
  const { not_ready: unready, not_ready_count: count } = pods;
  if (count === 0) return null;
  const title = 'Pods that are not ready';
  return (
    <Card
      title={title}
      aside={unready.length < count ? `${unready.length} of ${count}` : `${count} of ${pods.count}`}
    >
      <Table
        title={title}
        rows={unready}
        columns={UNREADY}
        rowKey={({ namespace, name }) => `${namespace}/${name}`}
      />
    </Card>
  );
}

/** How many pods a cluster has in each namespace. */
export function PodCounts({ pods }: { readonly pods: Pods }) {
  const { namespaces, count, is_complete: isComplete } = pods;
  if (count === 0) return null;
  return (
    <Card title="Pods" aside={isComplete ? count : `more than ${count}`}>
      <Table title="Pods" rows={namespaces} columns={NAMESPACES} rowKey={({ name }) => name} />
    </Card>
  );
}
