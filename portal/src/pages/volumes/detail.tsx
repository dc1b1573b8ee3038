import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Detail, useDetailScope } from '../../ui/detail.tsx';
import { Card } from '../../ui/page.tsx';
import { actionsOf, Dialogs } from '../../ui/row-form.tsx';
import { Rows } from '../../ui/rows.tsx';
import { tagFacts } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import { WhyFailed } from '../../ui/why-failed.tsx';
import { SNAPSHOT_COLUMNS } from '../snapshots/list.tsx';
import { useSnapshotVerbs } from '../snapshots/verbs.tsx';
import { useVolumeVerbs, type Volume } from './verbs.tsx';

/** One volume: who uses it, what it may do, and what it was before. */
export function VolumeDetail() {
  const { scope, id, back } = useDetailScope('volumes', 'Volumes');
  const verbs = useVolumeVerbs(scope);
  const snapshot = verbs.verbs.find(({ action }) => action.label.startsWith('Take snapshot'));
  const query = useQuery(
    api.queryOptions('get', '/cloud/v1/volumes/{project_id}/{region_id}/{volume_id}', {
      params: { path: { ...pathParams(scope), volume_id: id } },
    }),
  );
  return (
    <Detail<Volume>
      kind="Volume"
      back={back}
      query={query}
      badge={({ status }) => <StatusBadge status={status} />}
      {...verbs}
      facts={(volume) => [
        { label: 'Size', value: `${volume.size} GiB` },
        { label: 'Type', value: volume.volume_type },
        { label: 'Attached to', value: <AttachedTo volume={volume} /> },
        { label: 'Bootable', value: volume.bootable ? 'yes' : 'no' },
        ...(volume.limiter_stats
          ? [
              {
                label: 'Limit',
                value: `${volume.limiter_stats.iops_base_limit.toLocaleString()} operations a second`,
              },
            ]
          : []),
        { label: 'Created', value: <Time at={volume.created_at} /> },
        ...tagFacts(volume.tags),
      ]}
    >
      {(volume) => (
        <>
          <WhyFailed of={volume} />
          <SnapshotsOf
            volume={volume}
            aside={
              snapshot && (
                <ActionButton action={{ ...snapshot.action, label: 'Take snapshot' }} row={volume} />
              )
            }
          />
        </>
      )}
    </Detail>
  );
}

function AttachedTo({ volume: { attachments } }: { readonly volume: Volume }) {
  const scope = useScope();
  const [first] = attachments ?? [];
  if (!first?.server_id) return 'nothing';
  return (
    <Link className="link" to={pathIn(scope, 'instances', first.server_id)}>
      {first.instance_name ?? first.server_id}
    </Link>
  );
}

interface SnapshotsOfProps {
  readonly volume: Volume;
  readonly aside: ReactNode;
}

function SnapshotsOf({ volume, aside }: SnapshotsOfProps) {
  const scope = useScope();
  const { verbs } = useSnapshotVerbs(scope);
  const query = useQuery(
    api.queryOptions('get', '/cloud/v1/snapshots/{project_id}/{region_id}', {
      params: { path: pathParams(scope), query: { volume_id: volume.id } },
    }),
  );
  return (
    <Card title="Snapshots" aside={aside}>
      <Rows
        title="Snapshots"
        query={query}
        columns={SNAPSHOT_COLUMNS}
        rowKey={({ id }) => id}
        actions={actionsOf(verbs)}
        empty={{
          title: 'No snapshots',
          about: 'A snapshot is what is on it now, to make a volume of or to go back to.',
        }}
      />
      <Dialogs verbs={verbs} />
    </Card>
  );
}
