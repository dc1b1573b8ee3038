import { useQuery } from '@tanstack/react-query';
import { api, apiCall, client, faultOf, type Schemas } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { useDelete, whyBusy } from '../../ui/delete-action.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { Empty } from '../../ui/page.tsx';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { nameOf, type Policy } from './policy-verbs.tsx';

type Rule = Schemas['L7Rule'];
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

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
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
  {
    key: 'type',
    label: 'What is looked at',
    kind: 'choice',
    required: true,
    initial: rule?.type ?? 'PATH',
    options: optionsOf(SUBJECTS),
  },
  {
    key: 'key',
    label: 'Its name',
    about: 'For example X-Version, or CN of a certificate',
    kind: 'text',
    required: true,
    initial: rule?.key ?? '',
    when: hasKey,
  },
  {
    key: 'compare_type',
    label: 'How',
    kind: 'choice',
    required: true,
    initial: rule?.compare_type ?? 'STARTS_WITH',
    options: optionsOf(COMPARISONS),
  },
  {
    key: 'value',
    label: 'Value',
    kind: 'text',
    required: true,
    placeholder: '/api',
    initial: rule?.value ?? '',
  },
  { key: 'invert', label: 'Only when it is not so', kind: 'switch', initial: rule?.invert ?? false },
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
  const place = usePlace();
  return useRowForm<Policy, NewRule>({
    label: 'Add rule',
    disabled: whyBusy,
    form: (policy) => ({
      title: `Add a rule to ${nameOf(policy)}`,
      verb: 'Add rule',
      fields: fieldsOf(),
      body: bodyOf,
      request: (body) =>
        apiCall('post', '/cloud/v1/l7policies/{project_id}/{region_id}/{l7policy_id}/rules', {
          params: { path: { ...pathParams(place), l7policy_id: policy.id } },
          body,
        }),
    }),
  });
}

/** The rules of a policy; all must hold. */
export function Rules({ policy }: { readonly policy: Policy }) {
  const place = usePlace();
  const path = { ...pathParams(place), l7policy_id: policy.id };
  const query = useQuery({
    ...api.queryOptions('get', '/cloud/v1/l7policies/{project_id}/{region_id}/{l7policy_id}/rules', {
      params: { path },
    }),
    refetchInterval: 5_000,
  });
  const one = '/cloud/v1/l7policies/{project_id}/{region_id}/{l7policy_id}/rules/{l7rule_id}';
  const edit = useRowForm<Rule, NewRule>({
    label: 'Edit…',
    disabled: whyBusy,
    form: (rule) => ({
      title: 'Edit rule',
      verb: 'Save',
      fields: fieldsOf(rule),
      body: bodyOf,
      request: (body) => apiCall('put', one, { params: { path: { ...path, l7rule_id: rule.id } }, body }),
    }),
  });
  const remove = useDelete<Rule>({
    kind: 'rule',
    nameOf: ({ value }) => value,
    disabled: whyBusy,
    consequences: () => 'The policy then decides without it; without any rule it decides nothing.',
    call: ({ id }) => client.DELETE(one, { params: { path: { ...path, l7rule_id: id } } }),
  });
  if (query.error && !query.data)
    return <FaultNote fault={faultOf(query.error)} retry={() => void query.refetch()} />;
  const rows = query.data?.results ?? [];
  if (query.data && rows.length === 0)
    return (
      <Empty title="No rules" about="Without a rule it decides nothing. Add what a request must be like." />
    );
  return (
    <>
      <Table
        title={`Rules of ${nameOf(policy)}`}
        rows={rows}
        columns={COLUMNS}
        loading={query.isPending}
        rowKey={({ id }) => id}
        actions={[edit.action, remove.action]}
      />
      {edit.dialog}
      {remove.dialog}
    </>
  );
}
