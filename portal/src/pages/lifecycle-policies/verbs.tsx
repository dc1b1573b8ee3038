import { volumes } from '../../api/choices.ts';
import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import type { DeleteOptions } from '../../ui/delete-action.tsx';
import { withDistinctLabels } from '../../ui/options.ts';
import { rowCall } from '../../ui/row-call.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';
import { list } from '../../ui/values.ts';

const POLICY = '/cloud/v1/lifecycle_policy/{project_id}/{region_id}/{policy_id}';

export type LifecyclePolicy = Schemas['LifecyclePolicy'];

interface PolicyVerbs {
  readonly actions: readonly RowAction<LifecyclePolicy>[];
  readonly verbs: readonly RowVerb<LifecyclePolicy>[];
  readonly remove: DeleteOptions<LifecyclePolicy>;
}

const volumeIds = (values: Parameters<typeof list>[0]) => ({ volume_ids: [...list(values, 'volume_ids')] });

/** What can be done with a lifecycle policy. */
export function usePolicyVerbs(scope: Scope): PolicyVerbs {
  const path = (id: number) => ({ ...pathParams(scope), policy_id: id });
  const add = useRowForm<LifecyclePolicy, Schemas['PolicyVolumes']>({
    label: 'Add volumes…',
    form: ({ id, name }) => ({
      title: `Add volumes to ${name}`,
      fields: [{ key: 'volume_ids', label: 'Volumes', kind: 'choices', choices: volumes(scope) }],
      body: volumeIds,
      request: (body) =>
        apiCall('put', `${POLICY}/add_volumes_to_policy`, { params: { path: path(id) }, body }),
    }),
  });
  const removal = useRowForm<LifecyclePolicy, Schemas['PolicyVolumes']>({
    label: 'Remove volumes…',
    disabled: ({ volumes: own }) => (own.length ? undefined : 'It has no volumes'),
    form: ({ id, name, volumes: own }) => ({
      title: `Remove volumes from ${name}`,
      about: 'Their snapshots stay.',
      fields: [
        {
          key: 'volume_ids',
          label: 'Volumes',
          kind: 'choices',
          options: withDistinctLabels(
            own.map(({ volume_id, volume_name }) => ({ value: volume_id, label: volume_name })),
          ),
        },
      ],
      body: volumeIds,
      request: (body) =>
        apiCall('put', `${POLICY}/remove_volumes_from_policy`, { params: { path: path(id) }, body }),
    }),
  });
  const set = (label: string, status: LifecyclePolicy['status'], why: string) =>
    rowCall<LifecyclePolicy>({
      label,
      title: ({ name }) => `${label} ${name}`,
      disabled: (policy) => (policy.status === status ? why : undefined),
      call: ({ id }) => apiCall('patch', POLICY, { params: { path: path(id) }, body: { status } }),
    });
  return {
    actions: [set('Pause', 'paused', 'It is paused'), set('Resume', 'active', 'It is not paused')],
    verbs: [add, removal],
    remove: {
      kind: 'lifecycle policy',
      consequences: () => 'It takes no more snapshots. Those that it has taken stay.',
      call: ({ id }) => apiCall('delete', POLICY, { params: { path: path(id) } }),
    },
  };
}
