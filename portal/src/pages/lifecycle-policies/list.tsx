import { useQuery } from '@tanstack/react-query';
import { volumes } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { numberField, optionField, textField } from '../../ui/fields.ts';
import { Links } from '../../ui/links.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { type FormOptions, given, text } from '../../ui/side-form.tsx';
import { terraform } from '../../ui/terraform.ts';
import { list } from '../../ui/values.ts';
import { type NewSchedule, scheduleOf, zone } from './schedule.ts';
import { scheduleWords, WEEKDAYS } from './schedule-words.ts';
import { type LifecyclePolicy, usePolicyVerbs } from './verbs.tsx';

const POLICIES = '/cloud/v1/lifecycle_policy/{project_id}/{region_id}';

type NewPolicy = Schemas['CreateLifecyclePolicy'];

/** Snapshots of volumes by schedules. */
export function LifecyclePolicies() {
  const { scope, params } = useListOfScope();
  const verbs = usePolicyVerbs(scope);
  const result = useQuery(api.queryOptions('get', POLICIES, { params }));
  return (
    <NounPage<LifecyclePolicy, NewPolicy>
      title="Lifecycle policies"
      about="Take snapshots of volumes by a schedule, and delete the oldest ones."
      result={result}
      columns={COLUMNS}
      {...verbs}
      empty={{
        title: 'No lifecycle policies here',
        about: 'Create one for volumes whose contents you would miss.',
      }}
      form={creation(scope)}
    />
  );
}

const COLUMNS: readonly Column<LifecyclePolicy>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    label: 'Snapshots',
    cell: ({ schedules }) =>
      schedules.length === 0
        ? 'never'
        : schedules.map((schedule) => <div key={schedule.id}>{scheduleWords(schedule)}</div>),
  },
  {
    label: 'Volumes',
    cell: ({ volumes: own }) => <VolumesOf own={own} />,
  },
  {
    label: 'Never created',
    cell: ({ refusals }) => (
      <>
        {refusals.slice(0, SHOWN).map(({ schedule_id, volume_id, message }) => (
          <div key={`${schedule_id} ${volume_id}`}>{message}</div>
        ))}
        {more(refusals.length)}
      </>
    ),
  },
];

/** Of what a row has much of. */
const SHOWN = 5;
const more = (count: number) => (count > SHOWN ? ` and ${count - SHOWN} more` : '');

function VolumesOf({ own }: { readonly own: LifecyclePolicy['volumes'] }) {
  if (own.length === 0) return 'none';
  const shown = own.slice(0, SHOWN).map(({ volume_id: id, volume_name: name }) => ({ id, name }));
  return (
    <>
      <Links page="volumes" to={shown} />
      {more(own.length)}
    </>
  );
}

const EVERY = optionsOf({ hour: 'Every hour', day: 'Every day', week: 'Every week' });

function creation(scope: Scope): FormOptions<NewPolicy> {
  const path = pathParams(scope);
  return {
    title: 'Create lifecycle policy',
    fields: [
      textField('name', 'Name'),
      { key: 'volume_ids', label: 'Volumes', kind: 'choices', choices: volumes(scope) },
      optionField('every', 'When', EVERY, { initial: 'day' }),
      optionField('day_of_week', 'Day', optionsOf(WEEKDAYS), {
        initial: 'sun',
        when: (values) => text(values, 'every') === 'week',
      }),
      {
        key: 'time',
        label: 'Time',
        about: `In ${zone()}.`,
        kind: 'time',
        required: true,
        initial: '03:00',
        when: (values) => text(values, 'every') !== 'hour',
        fault: ['schedules.0.hour', 'schedules.0.minute'],
      },
      numberField('max_quantity', 'Snapshots to keep', {
        about: 'Of each volume. Older ones that it has taken are deleted.',
        min: 1,
        max: 10_000,
        initial: 7,
        fault: 'schedules.0.max_quantity',
      }),
    ],
    body: (values) => ({
      name: text(values, 'name'),
      action: 'volume_snapshot',
      schedules: [scheduleOf(values)],
      ...given({ volume_ids: [...list(values, 'volume_ids')] }),
    }),
    request: (body) => apiCall('post', POLICIES, { params: { path }, body }),
    terraform: ({ name, volume_ids = [], schedules = [] }) =>
      terraform('gcore_lifecyclepolicy', name, scope, {
        name,
        volume: volume_ids.map((id) => ({ id })),
        schedule: schedules.map(scheduleBlock),
      }),
  };
}

/** The infrastructure tool has what belongs to a type in a block of its own. */
const scheduleBlock = ({ type, max_quantity, ...timing }: NewSchedule) => ({ max_quantity, [type]: timing });
