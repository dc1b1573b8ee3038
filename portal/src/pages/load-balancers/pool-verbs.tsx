import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { numberField, optionField } from '../../ui/fields.ts';
import { optionsOf } from '../../ui/options.ts';
import { editing, type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';

const POOL = '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}';

export type Pool = Schemas['Pool'];
type Check = NonNullable<Pool['healthmonitor']>;
type NewCheck = Schemas['CreateHealthMonitor'];

export const ALGORITHMS = optionsOf({
  ROUND_ROBIN: 'Round robin',
  LEAST_CONNECTIONS: 'Least connections',
  SOURCE_IP: 'By source address',
});
const PERSISTENCE = optionsOf({
  '': 'None: each connection anew',
  SOURCE_IP: 'By source address',
  HTTP_COOKIE: 'By a cookie of the load balancer',
});
const TYPES = ['HTTP', 'HTTPS', 'TCP', 'TLS-HELLO', 'PING', 'UDP-CONNECT'].map((value) => ({
  value,
  label: value,
}));

const isHttp = (type: string) => type === 'HTTP' || type === 'HTTPS';

export const checkFields = (check: Check | null): readonly Field[] => [
  optionField(
    'type',
    'Health check type',
    check ? TYPES.filter(({ value }) => value === check.type) : TYPES,
    { initial: check?.type ?? 'HTTP' },
  ),
  {
    key: 'url_path',
    label: 'Path',
    kind: 'text',
    initial: check?.url_path ?? '/',
    when: ({ type }) => isHttp(String(type)),
  },
  {
    key: 'expected_codes',
    label: 'Expected status codes',
    about: 'For example 200 or 200-204',
    kind: 'text',
    initial: check?.expected_codes ?? '200',
    when: ({ type }) => isHttp(String(type)),
  },
  numberField('delay', 'Interval in seconds', { min: 1, initial: check?.delay ?? 5 }),
  numberField('timeout', 'Timeout in seconds', {
    about: 'Less than the interval',
    min: 1,
    initial: check?.timeout ?? 3,
  }),
  numberField('max_retries_down', 'Failures until down', {
    min: 1,
    max: 10,
    initial: check?.max_retries_down ?? 3,
  }),
  numberField('max_retries', 'Successes until up', {
    min: 1,
    max: 10,
    initial: check?.max_retries ?? 2,
  }),
];

/** How members are checked, but for the type, which can't be changed. */
export const checkBody = (values: Values) =>
  given({
    delay: number(values, 'delay'),
    timeout: number(values, 'timeout'),
    max_retries: number(values, 'max_retries'),
    max_retries_down: number(values, 'max_retries_down'),
    url_path: isHttp(text(values, 'type')) ? text(values, 'url_path') : '',
    expected_codes: isHttp(text(values, 'type')) ? text(values, 'expected_codes') : '',
  });

/** What can be done with a pool: its own properties, how its members are checked, its end. */
export function usePoolVerbs(scope: Scope): readonly RowVerb<Pool>[] {
  const path = (id: string) => ({ ...pathParams(scope), pool_id: id });
  const edit = useRowForm<Pool, Schemas['UpdatePool']>({
    label: 'Edit…',
    disabled: whyBusy,
    form: (pool) => ({
      ...editing(pool.name, [
        optionField('lb_algorithm', 'Load balancing algorithm', ALGORITHMS, { initial: pool.lb_algorithm }),
        {
          key: 'persistence',
          label: 'Session persistence',
          kind: 'choice',
          initial: pool.session_persistence?.type ?? '',
          options: PERSISTENCE.filter(({ value }) => value !== ''),
          fault: 'session_persistence',
        },
        {
          key: 'timeout_member_data',
          label: 'Member idle timeout in ms',
          kind: 'number',
          min: 0,
          initial: pool.timeout_member_data ?? '',
        },
      ]),
      body: (values) => ({
        name: text(values, 'name'),
        lb_algorithm: text(values, 'lb_algorithm') as Pool['lb_algorithm'],
        session_persistence: text(values, 'persistence')
          ? { type: text(values, 'persistence') as 'SOURCE_IP' }
          : null,
        timeout_member_data: number(values, 'timeout_member_data') ?? null,
      }),
      request: (body) =>
        apiCall('patch', '/cloud/v2/lbpools/{project_id}/{region_id}/{pool_id}', {
          params: { path: path(pool.id) },
          body,
        }),
    }),
  });
  const check = useRowForm<Pool, Partial<NewCheck>>({
    label: 'Health check…',
    disabled: whyBusy,
    form: (pool) => ({
      title: `Health check of ${pool.name}`,
      verb: 'Save',
      fields: checkFields(pool.healthmonitor),
      body: (values) => ({
        ...(pool.healthmonitor ? {} : { type: text(values, 'type') as NewCheck['type'] }),
        ...checkBody(values),
      }),
      request: (body) =>
        pool.healthmonitor
          ? apiCall('patch', `${POOL}/healthmonitor`, { params: { path: path(pool.id) }, body })
          : apiCall('post', `${POOL}/healthmonitor`, {
              params: { path: path(pool.id) },
              body: body as NewCheck,
            }),
    }),
  });
  const remove = useDelete<Pool>({
    kind: 'pool',
    askName: ({ members }) => members.length > 0,
    disabled: whyBusy,
    consequences: ({ members }) => `${members.length} members lose their traffic.`,
    call: ({ id }) => apiCall('delete', POOL, { params: { path: path(id) } }),
  });
  return [edit, check, remove];
}
