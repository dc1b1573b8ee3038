import { useQuery } from '@tanstack/react-query';
import { images, snapshots } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { choiceField, numberField, optionField, textField } from '../../ui/fields.ts';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { toCreated } from '../../ui/follow-task.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { Tags } from '../../ui/tags.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { number, oneOf, tagsOf } from '../../ui/values.ts';
import { StatusWithReason } from '../../ui/why-failed.tsx';
import { useVolumeVerbs, type Volume } from './verbs.tsx';

const VOLUMES = '/cloud/v1/volumes/{project_id}/{region_id}';

export const VOLUME_COLUMNS: readonly Column<Volume>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: (volume) => <StatusWithReason of={volume} /> },
  { label: 'Size', cell: ({ size }) => `${size} GiB`, end: true },
  { label: 'Type', cell: ({ volume_type }) => volume_type },
  {
    label: 'Attached to',
    cell: ({ attachments, is_root_volume }) =>
      attachments?.[0]
        ? `${attachments?.[0].instance_name ?? attachments?.[0].server_id}${is_root_volume ? ', boot volume' : ''}`
        : 'nothing',
  },
  { label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

const TYPES = ['standard', 'ssd_hiiops'] as const;

const fieldsOf = (scope: { project: number; region: number }): readonly Field[] => [
  textField('name', 'Name'),
  optionField(
    'source',
    'Source',
    optionsOf({ 'new-volume': 'Nothing', image: 'An image', snapshot: 'A snapshot' }),
    { initial: 'new-volume' },
  ),
  choiceField('image_id', 'Image', images(scope), { when: ({ source }) => source === 'image' }),
  choiceField('snapshot_id', 'Snapshot', snapshots(scope), { when: ({ source }) => source === 'snapshot' }),
  numberField('size', 'Size in GiB', { min: 1, initial: 10 }),
  optionField(
    'type_name',
    'Type',
    optionsOf({ standard: 'Standard', ssd_hiiops: 'Fast: many operations a second' }),
    { initial: 'standard' },
  ),
  { key: 'tags', label: 'Tags', kind: 'tags' },
];

type NewVolume = Schemas['CreateVolume'];

function bodyOf(values: Values): NewVolume {
  const all = {
    name: text(values, 'name'),
    ...given({ type_name: oneOf(TYPES, text(values, 'type_name')), tags: tagsOf(values) }),
  };
  const size = number(values, 'size');
  switch (values.source) {
    case 'image':
      return { source: 'image', ...all, image_id: text(values, 'image_id'), size: size ?? 0 };
    case 'snapshot':
      return { source: 'snapshot', ...all, snapshot_id: text(values, 'snapshot_id'), ...given({ size }) };
    default:
      return { source: 'new-volume', ...all, size: size ?? 0 };
  }
}

/** The volumes of a project in a region. */
export function Volumes() {
  const { scope, path, params } = useListOfScope(({ name, attached }) => ({
    name_part: name,
    has_attachments: attached ? attached === 'yes' : undefined,
  }));
  const { actions, verbs, remove } = useVolumeVerbs(scope);
  const result = useQuery(api.queryOptions('get', VOLUMES, { params }));
  return (
    <NounPage<Volume, Schemas['CreateVolume']>
      title="Volumes"
      about="Disks that live on their own: they outlive the instance that they are attached to."
      filters={[
        textFilter('name', 'Name'),
        choiceFilter('attached', 'Use', optionsOf({ yes: 'Attached', no: 'Free' })),
      ]}
      result={result}
      columns={VOLUME_COLUMNS}
      href={({ id }) => pathIn(scope, 'volumes', id)}
      actions={actions}
      verbs={verbs}
      remove={remove}
      empty={{ title: 'No volumes here', about: 'Create one, and attach it to an instance.' }}
      form={{
        title: 'Create volume',
        fields: fieldsOf(scope),
        body: bodyOf,
        request: (body) => apiCall('post', VOLUMES, { params: { path }, body }),
        terraform: (body) => terraform('gcore_volume', body.name, scope, { ...body, source: undefined }),
        to: toCreated(scope, 'volumes'),
      }}
    />
  );
}
