import { flavors, serverGroups } from '../../api/choices.ts';
import { apiCall } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { type DeleteOptions, whyBusy } from '../../ui/delete-action.tsx';
import { useEditForm } from '../../ui/edit-form.ts';
import { useFieldForm } from '../../ui/field-form.ts';
import { choiceField } from '../../ui/fields.ts';
import { rowCall } from '../../ui/row-call.ts';
import type { RowVerb } from '../../ui/row-form.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';
import { useConsole } from './console.tsx';
import type { Instance } from './list.tsx';

const INSTANCE = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';

type Power = 'start' | 'stop' | 'reboot' | 'reboot_hard' | 'suspend' | 'resume';

const POWER: readonly { readonly action: Power; readonly label: string; readonly from: readonly string[] }[] =
  [
    { action: 'start', label: 'Start', from: ['SHUTOFF', 'ERROR'] },
    { action: 'stop', label: 'Stop', from: ['ACTIVE', 'ERROR'] },
    { action: 'reboot', label: 'Restart', from: ['ACTIVE', 'ERROR'] },
    { action: 'reboot_hard', label: 'Force restart', from: ['ACTIVE', 'SHUTOFF', 'SUSPENDED', 'ERROR'] },
    { action: 'suspend', label: 'Suspend', from: ['ACTIVE', 'ERROR'] },
    { action: 'resume', label: 'Resume', from: ['SUSPENDED', 'ERROR'] },
  ];

const SETTLED = ['ACTIVE', 'SHUTOFF', 'ERROR'];

/** Why an instance can't be changed unless it is in one of these states. */
export const whyNot =
  (states: readonly string[]) =>
  (instance: Instance): string | undefined =>
    whyBusy(instance) ??
    (states.includes(instance.status)
      ? undefined
      : `It must be ${states.filter((state) => state !== 'ERROR').join(' or ')}; it is ${instance.status}`);

interface InstanceVerbs {
  readonly actions: readonly RowAction<Instance>[];
  readonly verbs: readonly RowVerb<Instance>[];
  readonly remove: DeleteOptions<Instance>;
}

/** What can be done with an instance, in its list and on its page. */
export function useInstanceVerbs(scope: Scope): InstanceVerbs {
  const path = (id: string) => ({ ...pathParams(scope), instance_id: id });
  const openConsole = useConsole(scope, whyNot(['ACTIVE']));
  const resize = useFieldForm({
    label: 'Resize…',
    disabled: whyNot(SETTLED),
    title: ({ name }: Instance) => `Resize ${name}`,
    asks: 'flavor_id',
    field: (key, { flavor: { flavor_name, flavor_id } }) =>
      choiceField(key, 'Size', flavors(scope), {
        first: false,
        about: `Now ${flavor_name}. It restarts while its size changes.`,
        initial: flavor_id,
      }),
    request: ({ id }, body) =>
      apiCall('post', `${INSTANCE}/changeflavor`, { params: { path: path(id) }, body }),
  });
  const group = useFieldForm({
    label: 'Add to server group…',
    disabled: whyNot(SETTLED),
    title: ({ name }: Instance) => `Put ${name} into a server group`,
    verb: 'Add to group',
    asks: 'servergroup_id',
    field: (key) => choiceField(key, 'Server group', serverGroups(scope)),
    request: ({ id }, body) =>
      apiCall('post', `${INSTANCE}/put_into_servergroup`, { params: { path: path(id) }, body }),
  });
  const edit = useEditForm<Instance>({
    tagsOf: ({ tags }) => tags,
    request: ({ id }, body) => apiCall('patch', INSTANCE, { params: { path: path(id) }, body }),
  });
  return {
    actions: POWER.map(({ action, label, from }) =>
      rowCall({
        label,
        title: ({ name }) => `${label} ${name}`,
        call: ({ id }) =>
          apiCall('post', '/cloud/v2/instances/{project_id}/{region_id}/{instance_id}/action', {
            params: { path: path(id) },
            body: { action },
          }),
        disabled: whyNot(from),
      }),
    ),
    verbs: [openConsole, resize, group, edit],
    remove: {
      kind: 'instance',
      askName: ({ status }) => status === 'ACTIVE',
      disabled: (instance) =>
        whyBusy(instance) ?? (instance.status === 'BUILD' ? 'It is being built' : undefined),
      consequences: consequencesOf,
      call: ({ id }) => apiCall('delete', INSTANCE, { params: { path: path(id) } }),
    },
  };
}

function consequencesOf({ status, volumes, fixed_ip_assignments }: Instance): string {
  const doomed = volumes.filter(({ delete_on_termination }) => delete_on_termination).length;
  const kept = volumes.length - doomed;
  const words = [
    status === 'ACTIVE'
      ? `It is running, and answers at ${fixed_ip_assignments?.[0]?.ip_address ?? 'no address'}.`
      : 'It is not running.',
  ];
  if (doomed > 0) words.push(`${doomed === 1 ? 'One volume goes' : `${doomed} volumes go`} with it.`);
  if (kept > 0) words.push(`${kept === 1 ? 'One volume stays' : `${kept} volumes stay`}.`);
  return words.join(' ');
}
