import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { numberField, textField } from '../../ui/fields.ts';
import { toCreated } from '../../ui/follow-task.tsx';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { text } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';
import { useWhereItLives } from '../../ui/where-it-lives.tsx';

export type Snapshot = Schemas['Snapshot'];

interface FromSnapshot {
  readonly source: 'snapshot';
  readonly snapshot_id: string;
  readonly name: string;
  readonly size: number;
}

/** What can be done with a snapshot. */
export function useSnapshotVerbs(scope: Scope): { readonly verbs: readonly RowVerb<Snapshot>[] } {
  const path = pathParams(scope);
  const volume = useRowForm<Snapshot, FromSnapshot>({
    label: 'Create volume from it…',
    disabled: (snapshot) =>
      whyBusy(snapshot) ??
      (snapshot.status === 'available' ? undefined : `It must be available; it is ${snapshot.status}`),
    form: (snapshot) => ({
      title: `Create a volume from ${snapshot.name}`,
      verb: 'Create volume',
      fields: [
        textField('name', 'Name', { initial: `${snapshot.name}-volume` }),
        numberField('size', 'Size in GiB', { min: snapshot.size, initial: snapshot.size }),
      ],
      body: (values) => ({
        source: 'snapshot',
        snapshot_id: snapshot.id,
        name: text(values, 'name'),
        size: number(values, 'size') ?? snapshot.size,
      }),
      request: (body) =>
        apiCall('post', '/cloud/v1/volumes/{project_id}/{region_id}', { params: { path }, body }),
      to: toCreated(scope, 'volumes'),
    }),
  });
  const deletion = useDelete<Snapshot>({
    kind: 'snapshot',
    consequences: () => 'Its volume can no longer go back to it. Volumes that were made of it stay.',
    disabled: whyBusy,
    call: ({ id }) =>
      apiCall('delete', '/cloud/v1/snapshots/{project_id}/{region_id}/{snapshot_id}', {
        params: { path: { ...path, snapshot_id: id } },
      }),
  });
  const lives = useWhereItLives<Snapshot>();
  return { verbs: [volume, ...lives, deletion] };
}
