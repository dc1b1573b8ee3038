import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { whyBusy } from '../../ui/delete-action.tsx';
import { optionField, textField } from '../../ui/fields.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { referTo, terraform } from '../../ui/terraform.ts';
import { list } from '../../ui/values.ts';
import type { LoadBalancer } from './list.tsx';
import { ALGORITHMS, checkBody, checkFields } from './pool-verbs.tsx';

type Listener = Schemas['Listener'];
type NewPool = Schemas['CreatePool'];

const PROTOCOLS = ['HTTP', 'HTTPS', 'TCP', 'UDP', 'PROXY', 'PROXYV2'].map((value) => ({
  value,
  label: value === 'PROXY' || value === 'PROXYV2' ? `TCP with the client's address (${value})` : value,
}));
const NO_CHECK = 'none';
const isChecked = ({ type }: Values) => type !== NO_CHECK;

/** A port that is not written is this one. */
const USUAL_PORT = 80;

/** `10.0.0.5:8080`, `[2001:db8::1]:8080`, or an address alone. */
export function memberOf(written: string): { address: string; protocol_port: number } {
  const text = written.trim();
  const [, address = text, port] = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+):(\d+)$/.exec(text) ?? [];
  return { address, protocol_port: Number(port ?? USUAL_PORT) };
}

function fieldsOf(listeners: readonly Listener[], pools: readonly Schemas['Pool'][]): readonly Field[] {
  const free = listeners.filter(
    ({ id }) => !pools.some((pool) => pool.listeners.some((one) => one.id === id)),
  );
  const check = checkFields(null).map((field) =>
    field.key === 'type'
      ? { ...field, options: [...(field.options ?? []), { value: NO_CHECK, label: 'None' }] }
      : { ...field, when: (values: Values) => isChecked(values) && (field.when?.(values) ?? true) },
  );
  return [
    textField('name', 'Name'),
    {
      key: 'listener_id',
      label: 'Listener that it serves',
      about: 'None: rules of a listener send requests to it',
      kind: 'choice',
      initial: free[0]?.id ?? '',
      options: free.map(({ id, name, protocol_port }) => ({
        value: id,
        label: `${name} (${protocol_port})`,
      })),
    },
    optionField('protocol', 'Protocol', PROTOCOLS, { initial: 'HTTP' }),
    optionField('lb_algorithm', 'Load balancing algorithm', ALGORITHMS, { initial: 'ROUND_ROBIN' }),
    {
      key: 'members',
      label: 'Members',
      about: 'Address and port of each server',
      placeholder: '10.0.0.5:8080, then Enter',
      kind: 'list',
    },
    ...check.map((field) => ({ ...field, fault: `healthmonitor.${field.key}` })),
  ];
}

type Check = NonNullable<NewPool['healthmonitor']>;

const bodyOf = (lb: LoadBalancer, values: Values): NewPool => ({
  name: text(values, 'name'),
  protocol: text(values, 'protocol') as NewPool['protocol'],
  lb_algorithm: text(values, 'lb_algorithm') as NewPool['lb_algorithm'],
  ...(text(values, 'listener_id')
    ? { listener_id: text(values, 'listener_id') }
    : { load_balancer_id: lb.id }),
  ...given({ members: list(values, 'members').map(memberOf) }),
  ...(isChecked(values)
    ? { healthmonitor: { type: text(values, 'type') as Check['type'], ...checkBody(values) } }
    : {}),
});

const terraformOf = (scope: Scope, { members = [], ...pool }: NewPool) =>
  [
    terraform('gcore_lbpool', pool.name, scope, pool),
    ...members.map((member, index) =>
      terraform('gcore_lbmember', `${pool.name}-${index + 1}`, scope, {
        ...member,
        pool_id: referTo('gcore_lbpool', pool.name),
      }),
    ),
  ].join('\n\n');

/** The form that gives a load balancer another pool. */
export function useNewPool(
  scope: Scope,
  listeners: readonly Listener[],
  pools: readonly Schemas['Pool'][],
): RowVerb<LoadBalancer> {
  return useRowForm<LoadBalancer, NewPool>({
    label: 'Add pool',
    disabled: whyBusy,
    form: (lb) => ({
      title: `Add a pool to ${lb.name}`,
      fields: fieldsOf(listeners, pools),
      body: (values) => bodyOf(lb, values),
      request: (body) =>
        apiCall('post', '/cloud/v1/lbpools/{project_id}/{region_id}', {
          params: { path: pathParams(scope) },
          body,
        }),
      terraform: (body) => terraformOf(scope, body),
    }),
  });
}
