import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { optionField, textField } from '../../ui/fields.ts';
import { optionsOf } from '../../ui/options.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { type Field, text, type Values } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';
import type { LoadBalancer } from './list.tsx';

const POLICIES = '/cloud/v1/l7policies/{project_id}/{region_id}';

export type Policy = Schemas['L7Policy'];
type Listener = Schemas['Listener'];
type Pool = Schemas['Pool'];

const ACTIONS = optionsOf({
  REDIRECT_TO_POOL: 'Send it to a pool',
  REDIRECT_TO_URL: 'Redirect to one address',
  REDIRECT_PREFIX: 'Redirect to a prefix, keeping the path',
  REJECT: 'Reject it',
});
const CODES = [
  { value: '301', label: '301: moved for good' },
  { value: '302', label: '302: found elsewhere for now' },
  { value: '303', label: '303: see other' },
  { value: '307', label: '307: for now, with the same method' },
  { value: '308', label: '308: for good, with the same method' },
];

/** Only these look into requests. */
export const readsRequests = ({ protocol }: Listener) =>
  protocol === 'HTTP' || protocol === 'TERMINATED_HTTPS';

const redirects = ({ action }: Values) => action === 'REDIRECT_TO_URL' || action === 'REDIRECT_PREFIX';

const fieldsOf = (pools: readonly Pool[], policy?: Policy): readonly Field[] => [
  { key: 'name', label: 'Name', kind: 'text', initial: policy?.name ?? '' },
  optionField('action', 'Action', ACTIONS, {
    initial: policy?.action ?? 'REDIRECT_TO_POOL',
  }),
  optionField(
    'redirect_pool_id',
    'Pool',
    pools.map(({ id, name }) => ({ value: id, label: name })),
    {
      initial: policy?.redirect_pool_id ?? pools[0]?.id ?? '',
      when: ({ action }) => action === 'REDIRECT_TO_POOL',
    },
  ),
  textField('redirect_url', 'Address', {
    placeholder: 'https://example.com/closed',
    initial: policy?.redirect_url ?? '',
    when: ({ action }) => action === 'REDIRECT_TO_URL',
  }),
  textField('redirect_prefix', 'Prefix', {
    placeholder: 'https://www.example.com',
    initial: policy?.redirect_prefix ?? '',
    when: ({ action }) => action === 'REDIRECT_PREFIX',
  }),
  optionField('redirect_http_code', 'Code', CODES, {
    initial: String(policy?.redirect_http_code ?? 302),
    when: redirects,
  }),
  {
    key: 'position',
    label: 'Position',
    about: 'The first that matches decides. Empty: last',
    kind: 'number',
    min: 1,
    initial: policy?.position ?? '',
  },
];

/** Each action has a body of its own. */
function bodyOf(values: Values): Schemas['UpdateL7Policy'] {
  const action = text(values, 'action');
  const target = {
    REDIRECT_TO_POOL: { redirect_pool_id: text(values, 'redirect_pool_id') },
    REDIRECT_TO_URL: { redirect_url: text(values, 'redirect_url') },
    REDIRECT_PREFIX: { redirect_prefix: text(values, 'redirect_prefix') },
  }[action];
  return {
    action,
    ...target,
    ...(redirects(values) ? { redirect_http_code: Number(values.redirect_http_code) } : {}),
    ...(text(values, 'name') ? { name: text(values, 'name') } : {}),
    ...(number(values, 'position') === undefined ? {} : { position: number(values, 'position') }),
  } as Schemas['UpdateL7Policy'];
}

interface Around {
  readonly lb: LoadBalancer;
  readonly listeners: readonly Listener[];
  readonly pools: readonly Pool[];
}

/** The form that adds a policy to a listener, and what can be done with one. */
export function usePolicyVerbs(scope: Scope, { lb, listeners, pools }: Around) {
  const path = pathParams(scope);
  const able = listeners.filter(readsRequests);
  const add = useRowForm<LoadBalancer, Schemas['CreateL7Policy']>({
    label: 'Add policy',
    disabled: (to) =>
      able.length > 0
        ? whyBusy(to)
        : 'Only HTTP listeners, and HTTPS listeners that terminate TLS, have policies',
    form: () => ({
      title: `Add a policy to ${lb.name}`,
      fields: [
        optionField(
          'listener_id',
          'Listener',
          able.map(({ id, name, protocol_port }) => ({
            value: id,
            label: `${name} (${protocol_port})`,
          })),
          { initial: able[0]?.id ?? '' },
        ),
        ...fieldsOf(pools),
      ],
      body: (values) =>
        ({ listener_id: text(values, 'listener_id'), ...bodyOf(values) }) as Schemas['CreateL7Policy'],
      request: (body) => apiCall('post', POLICIES, { params: { path }, body }),
    }),
  });
  const edit = useRowForm<Policy, Schemas['UpdateL7Policy']>({
    label: 'Edit…',
    disabled: whyBusy,
    form: (policy) => ({
      title: `Edit ${nameOf(policy)}`,
      verb: 'Save',
      fields: fieldsOf(pools, policy),
      body: bodyOf,
      request: (body) =>
        apiCall('patch', `${POLICIES}/{l7policy_id}`, {
          params: { path: { ...path, l7policy_id: policy.id } },
          body,
        }),
    }),
  });
  const remove = useDelete<Policy>({
    kind: 'policy',
    nameOf,
    disabled: whyBusy,
    consequences: ({ rules }) =>
      `Its ${rules.length === 1 ? 'rule goes' : `${rules.length} rules go`} with it. What it decided on goes to the listener’s own pool.`,
    call: ({ id }) =>
      apiCall('delete', `${POLICIES}/{l7policy_id}`, { params: { path: { ...path, l7policy_id: id } } }),
  });
  const verbs: readonly RowVerb<Policy>[] = [edit, remove];
  return { add, verbs };
}

export const nameOf = ({ name, position }: Policy): string => name || `policy ${position}`;

/** `Sends it to the pool api`. */
export function effectOf(policy: Policy, pools: readonly Pool[]): string {
  const code = policy.redirect_http_code ? ` with ${policy.redirect_http_code}` : '';
  switch (policy.action) {
    case 'REDIRECT_TO_POOL':
      return `is sent to the pool ${pools.find(({ id }) => id === policy.redirect_pool_id)?.name ?? policy.redirect_pool_id}`;
    case 'REDIRECT_TO_URL':
      return `is redirected to ${policy.redirect_url}${code}`;
    case 'REDIRECT_PREFIX':
      return `is redirected to ${policy.redirect_prefix} and its own path${code}`;
    default:
      return 'is refused';
  }
}
