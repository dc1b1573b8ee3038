import { useQuery } from '@tanstack/react-query';
import { volumes } from '../../api/choices.ts';
import { api, apiCall } from '../../api/client.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { choiceField } from '../../ui/fields.ts';
import { Parts } from '../../ui/parts.tsx';
import { useRowForm } from '../../ui/row-form.tsx';
import { texts } from '../../ui/values.ts';
import { VOLUME_COLUMNS } from '../volumes/list.tsx';
import { useVolumeVerbs } from '../volumes/verbs.tsx';
import type { Instance } from './list.tsx';
import { whyNot } from './verbs.tsx';

/** The volumes that an instance has. */
export function InstanceVolumes({ instance }: { readonly instance: Instance }) {
  const scope = useScope();
  const { actions, verbs } = useVolumeVerbs(scope);
  const why = whyNot(['ACTIVE', 'SHUTOFF']);
  const query = useQuery(
    api.queryOptions('get', '/cloud/v1/volumes/{project_id}/{region_id}', {
      params: { path: pathParams(scope), query: { instance_id: instance.id } },
    }),
  );
  const attach = useRowForm<Instance, { volume: string }>({
    label: 'Attach volume',
    disabled: why,
    form: () => ({
      title: `Attach a volume to ${instance.name}`,
      fields: [
        choiceField('volume', 'Volume', volumes(scope, 'available'), { about: 'Those that nothing uses' }),
      ],
      body: (values) => texts(values, 'volume'),
      request: ({ volume }) =>
        apiCall('post', '/cloud/v2/volumes/{project_id}/{region_id}/{volume_id}/attach', {
          params: { path: { ...pathParams(scope), volume_id: volume } },
          body: { instance_id: instance.id },
        }),
    }),
  });
  return (
    <Parts
      title="Volumes"
      of={instance}
      query={query}
      columns={VOLUME_COLUMNS}
      href={({ id }) => pathIn(scope, 'volumes', id)}
      create={attach}
      actions={actions}
      verbs={verbs}
      empty={{ title: 'No volumes', about: 'It keeps nothing that outlives it.' }}
    />
  );
}
