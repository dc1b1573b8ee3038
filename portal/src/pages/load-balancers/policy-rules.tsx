import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import { optionField, textField } from '../../ui/fields.ts';
import { optionsOf } from '../../ui/options.ts';
import { Empty } from '../../ui/page.tsx';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { nameOf, type Policy } from './policy-verbs.tsx';

const RULES = '/cloud/v1/l7policies/{project_id}/{region_id}/{l7policy_id}/rules';

/** A rule, and whose it is. */
type Rule = Schemas['L7Rule'] & { readonly l7policy_id: string };
type NewRule = Schemas['CreateL7Rule'];

const SUBJECTS: Readonly<Record<Rule['type'], string>> = {
  PATH: 'Path',
  HOST_NAME: 'Host name',
  HEADER: 'Header',
  COOKIE: 'Cookie',
  FILE_TYPE: 'File extension',
  SSL_CONN_HAS_CERT: 'Has a client certificate',
  SSL_VERIFY_RESULT: 'Result of checking the client certificate',
  SSL_DN_FIELD: 'Field of the client certificate',
};
const COMPARISONS: Readonly<Record<Rule['compare_type'], string>> = {
  STARTS_WITH: 'begins with',
  EQUAL_TO: 'is',
  CONTAINS: 'contains',
  ENDS_WITH: 'ends with',
  REGEX: 'matches the pattern',
};

const hasKey = ({ type }: Values) => ['HEADER', 'COOKIE', 'SSL_DN_FIELD'].includes(String(type));

const COLUMNS: readonly Column<Rule>[] = [
  {
    label: 'Only when',
    cell: ({ type, key, compare_type, value, invert }) => (
      <>
        {SUBJECTS[type]} {key && <code>{key}</code>} {invert && 'not: '}
        {COMPARISONS[compare_type]} <code>{value}</code>
      </>
    ),
  },
  { label: 'Status', cell: ({ operating_status }) => <StatusBadge status={operating_status} /> },
];

const fieldsOf = (rule?: Rule): readonly Field[] => [
  optionField('type', 'Match on', optionsOf(SUBJECTS), { initial: rule?.type ?? 'PATH' }),
  textField('key', 'Key', {
    about: 'For example X-Version, or CN of a certificate',
    initial: rule?.key ?? '',
    when: hasKey,
  }),
  optionField('compare_type', 'Comparison', optionsOf(COMPARISONS), {
    initial: rule?.compare_type ?? 'STARTS_WITH',
  }),
  textField('value', 'Value', { placeholder: '/api', initial: rule?.value ?? '' }),
  { key: 'invert', label: 'Invert the match', kind: 'switch', initial: rule?.invert ?? false },
];

const bodyOf = (values: Values): NewRule => ({
  type: text(values, 'type') as NewRule['type'],
  compare_type: text(values, 'compare_type') as NewRule['compare_type'],
  value: text(values, 'value'),
  invert: values.invert === true,
  ...given({ key: hasKey(values) ? text(values, 'key') : '' }),
});

/** The form that adds a rule to a policy. */
export function useNewRule(): RowVerb<Policy> {
  const scope = useScope();
  return useRowForm<Policy, NewRule>({
    label: 'Add rule',
    disabled: whyBusy,
    form: (policy) => ({
      title: `Add a rule to ${nameOf(policy)}`,
      fields: fieldsOf(),
      body: bodyOf,
      request: (body) =>
        apiCall('post', RULES, { params: { path: { ...pathParams(scope), l7policy_id: policy.id } }, body }),
    }),
  });
}

const ONE = `${RULES}/{l7rule_id}`;

/** What can be done with a rule of any policy. */
export function useRuleVerbs(): readonly RowVerb<Rule>[] {
  const scope = useScope();
  const pathOf = ({ id, l7policy_id }: Rule) => ({ ...pathParams(scope), l7policy_id, l7rule_id: id });
  const edit = useRowForm<Rule, NewRule>({
    label: 'Edit…',
    disabled: whyBusy,
    form: (rule) => ({
      title: 'Edit rule',
      verb: 'Save',
      fields: fieldsOf(rule),
      body: bodyOf,
      request: (body) => apiCall('put', ONE, { params: { path: pathOf(rule) }, body }),
    }),
  });
  const remove = useDelete<Rule>({
    kind: 'rule',
    nameOf: ({ value }) => value,
    disabled: whyBusy,
    consequences: () => 'The policy then decides without it; without any rule it decides nothing.',
    call: (rule) => apiCall('delete', ONE, { params: { path: pathOf(rule) } }),
  });
  return [edit, remove];
}

interface RulesProps {
  readonly policy: Policy;
  readonly actions: readonly RowAction<Rule>[];
}

/** The rules of a policy; all must hold. */
export function Rules({ policy, actions }: RulesProps) {
  const l7policy_id = policy.id;
  const query = useQuery({
    ...api.queryOptions('get', RULES, { params: { path: { ...pathParams(useScope()), l7policy_id } } }),
    // The policy knows how many it has.
    enabled: policy.rules.length > 0,
    select: ({ results }) => results.map((rule): Rule => ({ ...rule, l7policy_id })),
  });
  if (policy.rules.length === 0)
    return (
      <Empty title="No rules" about="Without a rule it decides nothing. Add what a request must be like." />
    );
  const unread = unreadNote(query);
  if (unread) return unread;
  return (
    <Table
      title={`Rules of ${nameOf(policy)}`}
      rows={query.data ?? []}
      columns={COLUMNS}
      loading={query.isPending}
      expected={policy.rules.length}
      rowKey={({ id }) => id}
      actions={actions}
    />
  );
}
