import type { Schemas } from '../../api/client.ts';
import { operatorCall } from '../../api/operator.ts';
import type { DeleteOptions } from '../../ui/delete-action.tsx';
import { numberField, optionField, textField } from '../../ui/fields.ts';
import { optionsOf } from '../../ui/options.ts';
import { rowCall } from '../../ui/row-call.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';
import { ROLES } from '../account/roles.ts';

export const CLIENTS = '/virga/v1/clients';

export type Client = Schemas['OperatorClient'];

/** What an operator does with a client, in its row and on its page. */
export function useClientVerbs() {
  const token = useShownOnce('Token', {
    title: 'Act for the client',
    about:
      'It has the role Administrators there for an hour. What it does and reads stands in the log of the client.',
  });
  const suspend = useRowForm<Client, Schemas['SuspendClient']>({
    label: 'Suspend…',
    disabled: ({ task_id }) => (task_id === null ? undefined : 'It is being deleted'),
    form: (client) => ({
      title: `Suspend ${client.name}`,
      fields: [
        textField('reason', 'Reason', { about: 'Shown to its people, and in answers to its tokens' }),
        optionField(
          'data_planes',
          'What it has',
          optionsOf({ running: 'Goes on serving', stopped: 'Serves nobody' }),
          { initial: 'running' },
        ),
      ],
      body: (values) => ({
        reason: text(values, 'reason'),
        data_planes: text(values, 'data_planes') === 'stopped' ? 'stopped' : 'running',
      }),
      request: (body) =>
        operatorCall('post', `${CLIENTS}/{client_id}/suspend`, {
          params: { path: { client_id: client.id } },
          body,
        }),
    }),
  });
  const act = useRowForm<Client, Schemas['ActForClient']>({
    label: 'Act for…',
    form: (client) => ({
      title: `Act for ${client.name}`,
      fields: [textField('reason', 'Reason', { about: 'Stands in the log of the client' })],
      body: (values) => ({ reason: text(values, 'reason') }),
      request: (body) =>
        operatorCall('post', `${CLIENTS}/{client_id}/act`, {
          params: { path: { client_id: client.id } },
          body,
        }),
      done: (data) => token.show((data as Schemas['ActingToken']).token),
    }),
  });
  const resume = rowCall<Client>({
    label: 'Resume',
    title: ({ name }) => `Resume ${name}`,
    disabled: ({ status, task_id }) => {
      if (task_id !== null) return 'It is being deleted';
      return status === 'paused' ? undefined : 'It is not suspended';
    },
    call: ({ id }) =>
      operatorCall('post', `${CLIENTS}/{client_id}/resume`, { params: { path: { client_id: id } } }),
  });
  const remove: DeleteOptions<Client> = {
    kind: 'client',
    askName: () => true,
    consequences: () =>
      'Everything in it goes: resources, files, people who belong to no other client, its log and its usage.',
    disabled: ({ status, task_id }) => {
      if (task_id !== null) return 'It is being deleted';
      return status === 'paused' ? undefined : 'Suspend it first, so that nothing is made meanwhile';
    },
    call: ({ id }) =>
      operatorCall('delete', `${CLIENTS}/{client_id}`, { params: { path: { client_id: id } } }),
  };
  const user = useRowForm<Client, Schemas['AddUser']>({
    label: 'Add person…',
    form: (client) => ({
      title: `Add a person to ${client.name}`,
      fields: [
        textField('email', 'Email address'),
        optionField('role', 'Role', ROLES, { initial: '2', fault: 'user_role' }),
        {
          key: 'password',
          label: 'Password',
          about: 'Empty: they are invited by mail',
          kind: 'password',
        },
      ],
      body: (values) => ({
        email: text(values, 'email'),
        user_role: { id: Number(values.role) },
        ...given({ password: text(values, 'password') }),
      }),
      request: (body) =>
        operatorCall('post', `${CLIENTS}/{client_id}/users`, {
          params: { path: { client_id: client.id } },
          body,
        }),
      shown: (body) => ('password' in body ? { ...body, password: '…' } : body),
    }),
  });
  const quota = useRowForm<Client, Schemas['Limits']>({
    label: 'Set quota…',
    form: (client) => ({
      title: `Set a quota of ${client.name}`,
      fields: [
        numberField('region', 'Region', { about: 'Its id', min: 1, initial: 1 }),
        optionField(
          'name',
          'Quota',
          optionsOf({
            loadbalancer_count_limit: 'Load balancers',
            vm_count_limit: 'Instances',
            cpu_count_limit: 'CPUs',
            ram_limit: 'Memory in MiB',
            volume_size_limit: 'Volumes in GiB',
            floating_count_limit: 'Floating IPs',
            cluster_count_limit: 'Kubernetes clusters',
          }),
          { initial: 'loadbalancer_count_limit' },
        ),
        numberField('limit', 'Limit', { min: 0, initial: 100, fault: 'regional_limits' }),
      ],
      body: (values) => ({
        regional_limits: [
          { region_id: number(values, 'region') ?? 0, [text(values, 'name')]: number(values, 'limit') ?? 0 },
        ],
      }),
      request: (body) =>
        operatorCall('patch', `${CLIENTS}/{client_id}/quotas`, {
          params: { path: { client_id: client.id } },
          body,
        }),
    }),
  });
  return { actions: [resume], verbs: [user, quota, suspend, act], remove, dialog: token.dialog };
}
