import { useQuery } from '@tanstack/react-query';
import { volumes } from '../../api/choices.ts';
import { api, apiCall } from '../../api/client.ts';
import { pathIn, pathParams, usePlace } from '../../app/place.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import { choiceField } from '../../ui/fields.ts';
import { Card } from '../../ui/page.tsx';
import { actionsOf, Dialogs, useRowForm } from '../../ui/row-form.tsx';
import { Rows } from '../../ui/rows.tsx';
import { text } from '../../ui/side-form.tsx';
import { VOLUME_COLUMNS } from '../volumes/list.tsx';
import { useVolumeVerbs } from '../volumes/verbs.tsx';
import type { Instance } from './list.tsx';
import { whyNot } from './verbs.tsx';

/** The volumes that a machine has. */
export function InstanceVolumes({ instance }: { readonly instance: Instance }) {
  const place = usePlace();
  const { actions, verbs } = useVolumeVerbs(place);
  const why = whyNot(['ACTIVE', 'SHUTOFF']);
  const query = useQuery(
    api.queryOptions('get', '/cloud/v1/volumes/{project_id}/{region_id}', {
      params: { path: pathParams(place), query: { instance_id: instance.id } },
    }),
  );
  const attach = useRowForm<Instance, { volume: string }>({
    label: 'Attach volume',
    disabled: why,
    form: () => ({
      title: `Attach a volume to ${instance.name}`,
      fields: [
        choiceField('volume', 'Volume', volumes(place, 'available'), { about: 'Those that nothing uses' }),
      ],
      body: (values) => ({ volume: text(values, 'volume') }),
      request: ({ volume }) =>
        apiCall('post', '/cloud/v2/volumes/{project_id}/{region_id}/{volume_id}/attach', {
          params: { path: { ...pathParams(place), volume_id: volume } },
          body: { instance_id: instance.id },
        }),
    }),
  });
  const unread = unreadNote(query);
  if (unread) return unread;
  return (
    <Card title="Volumes" aside={<ActionButton action={attach.action} row={instance} />}>
      <Rows
        title="Volumes"
        query={query}
        columns={VOLUME_COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => pathIn(place, 'volumes', id)}
        actions={[...actions, ...actionsOf(verbs)]}
        empty={{ title: 'No volumes', about: 'It keeps nothing that outlives it.' }}
      />
      {attach.dialog}
      <Dialogs verbs={verbs} />
    </Card>
  );
}
