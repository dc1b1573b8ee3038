import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { SubjectOf } from '../../ui/subject.tsx';
import { taskName } from '../../ui/task-name.ts';
import { Time } from '../../ui/time.tsx';
import { given } from '../../ui/values.ts';
import { VerbButton } from '../../ui/verb-button.tsx';
import { acknowledge, acknowledgeAll, allAcknowledged, type Task } from './acknowledge.ts';
import { Took } from './life.tsx';

type State = Task['state'];

const COLUMNS: readonly Column<Task>[] = [
  { label: 'Task', cell: (task) => taskName(task) },
  { label: 'About', cell: (task) => <SubjectOf task={task} /> },
  {
    label: 'State',
    cell: (task) => <StatusBadge status={task.state} detail={task.error ?? task.step ?? undefined} />,
  },
  { label: 'Step', cell: (task) => task.error ?? task.step ?? '' },
  { label: 'Took', cell: (task) => <Took task={task} />, end: true, wideOnly: true },
  { label: 'Started', cell: (task) => <Time at={task.created_on} /> },
  { label: 'Id', cell: ({ id }) => <CopyText value={id} shown={`${id.slice(0, 8)}…`} />, wideOnly: true },
];

const FILTERS = [
  choiceFilter(
    'state',
    'State',
    optionsOf({ NEW: 'Waiting', RUNNING: 'Running', FINISHED: 'Done', ERROR: 'Failed' }),
  ),
  textFilter('task_type', 'Type of task'),
] as const;

/** Every change of this project in this region, as it happens. */
export function Tasks() {
  const scope = useScope();
  const { project, region } = scope;
  const { search, page } = useListSearch();
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/tasks', {
      params: {
        query: {
          ...page,
          project_id: [project],
          region_id: [region],
          ...given({ state: search.state ? [search.state as State] : [], task_type: search.task_type }),
        },
      },
    }),
  );
  const unseen = useQuery(
    api.queryOptions('get', '/cloud/v1/tasks', {
      params: {
        query: {
          project_id: [project],
          region_id: [region],
          limit: 1,
          state: ['ERROR', 'FINISHED'],
          is_acknowledged: false,
        },
      },
    }),
  );
  return (
    <ListPage<Task>
      title="Tasks"
      about="Every change of infrastructure is a task. It is followed live; what it created is there as soon as it is done."
      filters={FILTERS}
      result={result}
      columns={COLUMNS}
      href={({ id }) => pathIn(scope, 'tasks', id)}
      actions={[acknowledge]}
      head={
        <VerbButton
          variant="default"
          call={allAcknowledged(scope)}
          why={unseen.data?.count === 0 ? 'No task that has ended waits to be acknowledged' : undefined}
          onClick={() => void acknowledgeAll(scope)}
        >
          Acknowledge all
        </VerbButton>
      }
      empty={{
        title: 'No tasks yet',
        about: 'Create something, and its task appears here and counts up to its end.',
      }}
    />
  );
}
