import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { textField } from '../../ui/fields.ts';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { rowCall } from '../../ui/row-call.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { text } from '../../ui/side-form.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import { given } from '../../ui/values.ts';

const TASKS = '/virga/v1/all_tasks';

type Row = Schemas['OperatorTask'] & { readonly id: string; readonly name: string };

const COLUMNS: readonly Column<Row>[] = [
  { label: 'Task', cell: ({ task }) => taskName(task) },
  { label: 'Phase', cell: ({ run }) => <StatusBadge status={run.phase} detail={run.failure ?? undefined} /> },
  { label: 'Client', cell: ({ task }) => task.client_id, end: true },
  { label: 'Step', cell: ({ run, task }) => run.failure ?? task.step ?? '' },
  { label: 'Node', cell: ({ run }) => run.node ?? '' },
  { label: 'Heard of', cell: ({ run }) => <Time at={run.since} /> },
  { label: 'Deadline', cell: ({ run }) => <Time at={run.deadline_at} /> },
];

const rowOf = (each: Schemas['OperatorTask']): Row => ({
  ...each,
  id: each.task.id,
  name: taskName(each.task),
});

/** What is being done for all clients, the oldest first: what hangs is at the top. */
export function AllTasks() {
  const { page, search } = useListSearch();
  const filters = given({
    client_id: search.client_id ? Number(search.client_id) : undefined,
    phase: search.phase as 'lost',
  });
  const { data, ...result } = useQuery({
    ...operatorApi.queryOptions('get', TASKS, { params: { query: { ...page, ...filters } } }),
    refetchInterval: 5000,
  });
  const rows = data && { count: data.count, results: data.results.map(rowOf) };
  const end = useRowForm<Row, Schemas['EndTask']>({
    label: 'End…',
    form: (row) => ({
      title: `End ${row.name}`,
      about: 'For one whose undoing hangs: what it has locked is free, and what it had begun stays as it is.',
      fields: [textField('reason', 'Reason', { about: 'The error that the client reads' })],
      body: (values) => ({ reason: text(values, 'reason') }),
      request: (body) =>
        operatorCall('post', `${TASKS}/{task_id}/end`, { params: { path: { task_id: row.id } }, body }),
    }),
  });
  const cancel = rowCall<Row>({
    label: 'Cancel',
    danger: true,
    title: ({ name }) => `Cancel ${name}`,
    disabled: ({ run }) => (run.is_undone ? 'It is being undone already' : undefined),
    call: ({ id }) =>
      operatorCall('post', `${TASKS}/{task_id}/cancel`, { params: { path: { task_id: id } } }),
  });
  return (
    <NounPage<Row, never>
      title="Tasks of all clients"
      about="What has not ended, the oldest first. A cancelled task is undone; one that is ended is not."
      filters={[
        textFilter('client_id', 'Id of the client'),
        choiceFilter(
          'phase',
          'Phase',
          optionsOf({ waiting: 'Waiting', running: 'Running', pausing: 'Pausing', lost: 'Lost' }),
        ),
      ]}
      result={{ ...result, data: rows }}
      columns={COLUMNS}
      actions={[cancel]}
      verbs={[end]}
      empty={{ title: 'Nothing runs', about: 'Every task has ended.' }}
    />
  );
}
