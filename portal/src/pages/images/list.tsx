import { useQuery } from '@tanstack/react-query';
import { volumes } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { bytes } from '../../ui/bytes.ts';
import { whyBusy } from '../../ui/delete-action.tsx';
import { choiceField, optionField, textField } from '../../ui/fields.ts';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { oneOf, tagsOf } from '../../ui/values.ts';
import { useWhereItLives } from '../../ui/where-it-lives.tsx';
import { StatusWithReason } from '../../ui/why-failed.tsx';

const IMAGES = '/cloud/v1/images/{project_id}/{region_id}';

type Image = Schemas['Image'];
type Body = Schemas['DownloadImage'] | Schemas['CreateImage'];

const COLUMNS: readonly Column<Image>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: (image) => <StatusWithReason of={image} /> },
  { label: 'System', cell: ({ os_distro, os_version }) => `${os_distro} ${os_version}` },
  { label: 'Needs', cell: ({ min_disk }) => `${min_disk} GiB`, end: true },
  { label: 'Size', cell: ({ size }) => (size === null ? '' : bytes(size)), end: true, wideOnly: true },
  { label: 'Owner', cell: ({ visibility }) => (visibility === 'public' ? 'Region' : 'Yours') },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} />, wideOnly: true },
];

const SYSTEMS = ['linux', 'windows'] as const;

const fieldsOf = (scope: { project: number; region: number }): readonly Field[] => [
  textField('name', 'Name'),
  optionField('source', 'Source', optionsOf({ url: 'A URL', volume: 'A volume' }), { initial: 'url' }),
  textField('url', 'Address', {
    about: 'A raw or qcow2 file',
    placeholder: 'https://example.com/system.qcow2',
    when: ({ source }) => source === 'url',
  }),
  choiceField('volume_id', 'Volume', volumes(scope), { when: ({ source }) => source === 'volume' }),
  optionField('os_type', 'System', optionsOf({ linux: 'Linux', windows: 'Windows' }), { initial: 'linux' }),
  { key: 'tags', label: 'Tags', kind: 'tags' },
];

function bodyOf(values: Values): Body {
  const all = {
    name: text(values, 'name'),
    os_type: oneOf(SYSTEMS, text(values, 'os_type')) ?? 'linux',
    ...given({ tags: tagsOf(values) }),
  };
  return values.source === 'volume'
    ? { ...all, volume_id: text(values, 'volume_id') }
    : { ...all, url: text(values, 'url') };
}

/** What instances start from: the region's images and the project's own. */
export function Images() {
  const { scope, path, params } = useListOfScope(({ name, visibility }) => ({
    name__contains: name,
    visibility: visibility as 'shared',
  }));
  const result = useQuery(api.queryOptions('get', IMAGES, { params }));
  const lives = useWhereItLives<Image>({
    disabled: ({ visibility }) =>
      visibility === 'public' ? 'The settings of its region name it' : undefined,
  });
  return (
    <NounPage<Image, Body>
      title="Images"
      about="What instances start from. The region has some; bring your own, or make one of a volume."
      filters={[
        textFilter('name', 'Name'),
        choiceFilter('visibility', 'Owner', optionsOf({ public: 'Region', shared: 'Yours' })),
      ]}
      result={result}
      columns={COLUMNS}
      verbs={lives}
      remove={{
        kind: 'image',
        disabled: (image) =>
          whyBusy(image) ?? (image.visibility === 'public' ? 'It belongs to the region' : undefined),
        consequences: () => 'Nothing new can start from it. Volumes that were made of it stay.',
        call: ({ id }) =>
          apiCall('delete', `${IMAGES}/{image_id}`, { params: { path: { ...path, image_id: id } } }),
      }}
      empty={{ title: 'No images', about: 'Import one from a URL.' }}
      form={{
        title: 'Add image',
        fields: fieldsOf(scope),
        body: bodyOf,
        request: (body) =>
          'volume_id' in body
            ? apiCall('post', IMAGES, { params: { path }, body })
            : apiCall('post', '/cloud/v1/downloadimage/{project_id}/{region_id}', {
                params: { path },
                body,
              }),
      }}
    />
  );
}
