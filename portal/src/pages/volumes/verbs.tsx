import { notifications } from '@mantine/notifications';
import { instances } from '../../api/choices.ts';
import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { type DeleteOptions, useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { useEditForm } from '../../ui/edit-form.ts';
import { useFieldForm } from '../../ui/field-form.ts';
import { choiceField, numberField, textField } from '../../ui/fields.ts';
import { rowCall } from '../../ui/row-call.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';
import { given } from '../../ui/side-form.tsx';
import { number, texts } from '../../ui/values.ts';

const VOLUME = '/cloud/v1/volumes/{project_id}/{region_id}/{volume_id}';

export type Volume = Schemas['Volume'];

const whyNot =
  (states: readonly string[]) =>
  (volume: Volume): string | undefined =>
    whyBusy(volume) ??
    (states.includes(volume.status)
      ? undefined
      : `It must be ${states.join(' or ')}; it is ${volume.status}`);

const SETTLED = ['available', 'in-use'];

interface VolumeVerbs {
  readonly actions: readonly RowAction<Volume>[];
  readonly verbs: readonly RowVerb<Volume>[];
  readonly remove: DeleteOptions<Volume>;
}

/** What can be done with a volume, in its list, on its page, and on that of its instance. */
export function useVolumeVerbs(scope: Scope): VolumeVerbs {
  const path = (id: string) => ({ ...pathParams(scope), volume_id: id });
  const attach = useFieldForm({
    label: 'Attach…',
    disabled: whyNot(['available']),
    title: ({ name }: Volume) => `Attach ${name}`,
    asks: 'instance_id',
    field: (key) => choiceField(key, 'Instance', instances(scope)),
    request: ({ id }, body) =>
      apiCall('post', '/cloud/v2/volumes/{project_id}/{region_id}/{volume_id}/attach', {
        params: { path: path(id) },
        body,
      }),
  });
  const extend = useRowForm<Volume, { size: number }>({
    label: 'Extend…',
    disabled: whyNot(SETTLED),
    form: (volume) => ({
      title: `Extend ${volume.name}`,
      fields: [
        numberField('size', 'Size in GiB', {
          about: `Now ${volume.size}. A volume grows and never shrinks.`,
          min: volume.size + 1,
          initial: volume.size * 2,
        }),
      ],
      body: (values) => ({ size: number(values, 'size') ?? 0 }),
      request: (body) => apiCall('post', `${VOLUME}/extend`, { params: { path: path(volume.id) }, body }),
    }),
  });
  const snapshot = useRowForm<Volume, Schemas['CreateSnapshot']>({
    label: 'Take snapshot…',
    disabled: whyNot(SETTLED),
    form: (volume) => ({
      title: `Take a snapshot of ${volume.name}`,
      fields: [
        textField('name', 'Name', { initial: `${volume.name}-snapshot` }),
        { key: 'description', label: 'Description', kind: 'text' },
      ],
      body: (values) => ({
        volume_id: volume.id,
        ...texts(values, 'name'),
        ...given(texts(values, 'description')),
      }),
      request: (body) =>
        apiCall('post', '/cloud/v1/snapshots/{project_id}/{region_id}', {
          params: { path: pathParams(scope) },
          body,
        }),
    }),
  });
  const edit = useEditForm<Volume>({
    tagsOf: ({ tags }) => tags,
    request: ({ id }, body) => apiCall('patch', VOLUME, { params: { path: path(id) }, body }),
  });
  const revert = useDelete<Volume>({
    kind: 'volume',
    instead: { verb: 'Revert', label: 'Revert to last snapshot…' },
    askName: () => true,
    disabled: (volume) =>
      whyNot(['available', 'error_restoring'])(volume) ??
      ((volume.snapshot_ids ?? []).length === 0 ? 'It has no snapshot' : undefined),
    consequences: () => 'It will hold what its last snapshot holds. What was written since is lost.',
    call: ({ id }) => apiCall('post', `${VOLUME}/revert`, { params: { path: path(id) } }),
    deleted: () =>
      notifications.show({ color: 'green', message: 'The volume holds what its last snapshot holds' }),
  });
  return {
    actions: [
      rowCall({
        label: 'Detach',
        title: ({ name }) => `Detach ${name}`,
        call: ({ id, attachments }) =>
          apiCall('post', '/cloud/v2/volumes/{project_id}/{region_id}/{volume_id}/detach', {
            params: { path: path(id) },
            body: { instance_id: attachments?.[0]?.server_id ?? '' },
          }),
        disabled: (volume) =>
          whyNot(['in-use'])(volume) ??
          (volume.is_root_volume ? 'It is the boot volume of its instance' : undefined),
      }),
    ],
    verbs: [attach, extend, snapshot, edit, revert],
    remove: {
      kind: 'volume',
      askName: () => true,
      disabled: (volume) =>
        whyNot(['available', 'error', 'error_deleting', 'error_restoring'])(volume) ??
        ((volume.snapshot_ids ?? []).length > 0 ? 'It has snapshots: delete them first' : undefined),
      consequences: ({ size }) => `What is on its ${size} GiB is lost.`,
      call: ({ id }) => apiCall('delete', VOLUME, { params: { path: path(id) } }),
    },
  };
}
