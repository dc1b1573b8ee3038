import { certificates } from '../../api/choices.ts';
import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { choiceField, numberField, optionField, textField } from '../../ui/fields.ts';
import { editing, useRowForm } from '../../ui/row-form.tsx';
import { TableCard } from '../../ui/rows.tsx';
import { type Field, given, text } from '../../ui/side-form.tsx';
import type { Column } from '../../ui/table.tsx';
import { list, number } from '../../ui/values.ts';
import type { LoadBalancer } from './list.tsx';

const LISTENERS = '/cloud/v1/lblisteners/{project_id}/{region_id}';

type Listener = Schemas['Listener'];

const COLUMNS: readonly Column<Listener>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: ({ operating_status }) => <StatusBadge status={operating_status} /> },
  {
    label: 'Listens on',
    cell: ({ protocol, protocol_port }) => `${protocol.replace('TERMINATED_', '')} ${protocol_port}`,
  },
  { label: 'Who may connect', cell: ({ allowed_cidrs }) => allowed_cidrs?.join(', ') || 'everybody' },
  {
    label: 'At most',
    cell: ({ connection_limit }) => `${connection_limit.toLocaleString()} connections`,
    wideOnly: true,
  },
];

/** Fields that a listener has, new or old, beside its name. */
const fieldsOf = (scope: Scope, listener?: Listener): readonly Field[] => [
  {
    key: 'allowed_cidrs',
    label: 'Who may connect',
    about: 'CIDRs that may connect. None: everybody',
    placeholder: '203.0.113.0/24, then Enter',
    kind: 'list',
    initial: listener?.allowed_cidrs ?? [],
  },
  {
    key: 'connection_limit',
    label: 'Connection limit',
    kind: 'number',
    min: -1,
    initial: listener?.connection_limit ?? 100_000,
  },
  {
    key: 'timeout_client_data',
    label: 'Client idle timeout in ms',
    kind: 'number',
    min: 0,
    initial: listener?.timeout_client_data ?? '',
  },
  ...(listener?.protocol === 'TERMINATED_HTTPS'
    ? [
        choiceField('secret_id', 'Certificate', certificates(scope), {
          first: false,
          initial: listener.secret_id ?? '',
        }),
      ]
    : []),
];

const PROTOCOLS = ['HTTP', 'TERMINATED_HTTPS', 'TCP', 'UDP', 'HTTPS', 'PROMETHEUS'].map((value) => ({
  value,
  label: value === 'TERMINATED_HTTPS' ? 'HTTPS, TLS terminated here' : value,
}));

interface ListenersProps {
  readonly lb: LoadBalancer;
  readonly listeners: readonly Listener[];
}

/** What the load balancer listens to: changed, added, removed. */
export function Listeners({ lb, listeners }: ListenersProps) {
  const scope = useScope();
  const path = pathParams(scope);
  const add = useRowForm<LoadBalancer, Schemas['CreateListener']>({
    label: 'Add listener',
    disabled: whyBusy,
    form: () => ({
      title: `Add a listener to ${lb.name}`,
      fields: [
        optionField('protocol', 'Protocol', PROTOCOLS, { initial: 'HTTP' }),
        numberField('protocol_port', 'Port', { min: 1, max: 65_535, initial: 80 }),
        choiceField('secret_id', 'Certificate', certificates(scope), {
          when: ({ protocol }) => protocol === 'TERMINATED_HTTPS',
        }),
        textField('name', 'Name'),
        ...fieldsOf(scope),
      ],
      body: (values) => ({
        load_balancer_id: lb.id,
        name: text(values, 'name'),
        protocol: text(values, 'protocol') as 'HTTP',
        protocol_port: number(values, 'protocol_port') ?? 0,
        ...given({
          secret_id: values.protocol === 'TERMINATED_HTTPS' ? text(values, 'secret_id') : '',
          allowed_cidrs: [...list(values, 'allowed_cidrs')],
          connection_limit: number(values, 'connection_limit'),
          timeout_client_data: number(values, 'timeout_client_data'),
        }),
      }),
      request: (body) => apiCall('post', LISTENERS, { params: { path }, body }),
    }),
  });
  const edit = useRowForm<Listener, Schemas['UpdateListener']>({
    label: 'Edit…',
    disabled: whyBusy,
    form: (listener) => ({
      ...editing(listener.name, fieldsOf(scope, listener)),
      body: (values) => ({
        name: text(values, 'name'),
        allowed_cidrs: [...list(values, 'allowed_cidrs')],
        ...given({
          connection_limit: number(values, 'connection_limit'),
          secret_id: text(values, 'secret_id'),
        }),
        timeout_client_data: number(values, 'timeout_client_data') ?? null,
      }),
      request: (body) =>
        apiCall('patch', '/cloud/v2/lblisteners/{project_id}/{region_id}/{listener_id}', {
          params: { path: { ...path, listener_id: listener.id } },
          body,
        }),
    }),
  });
  const remove = useDelete<Listener>({
    kind: 'listener',
    askName: ({ operating_status }) => operating_status === 'ONLINE',
    disabled: whyBusy,
    consequences: ({ protocol_port }) => `Nothing answers at port ${protocol_port} any more. Its pool stays.`,
    call: ({ id }) =>
      apiCall('delete', `${LISTENERS}/{listener_id}`, { params: { path: { ...path, listener_id: id } } }),
  });
  return (
    <TableCard
      title="Listeners"
      aside={<ActionButton action={add.action} row={lb} />}
      rows={listeners}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      actions={[edit.action, remove.action]}
      empty={{ title: 'It listens to nothing yet', about: 'Add a listener, and give it a pool.' }}
    >
      {add.dialog}
      {edit.dialog}
      {remove.dialog}
    </TableCard>
  );
}
