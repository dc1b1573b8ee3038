import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.ts';
import { usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { taskName } from '../../ui/task-name.ts';
import { duration, readTime, Time, useNow } from '../../ui/time.tsx';

type Task = Schemas['Task'];
type State = Task['state'];

const COLUMNS: readonly Column<Task>[] = [
  { label: 'Task', cell: (task) => taskName(task) },
  {
    label: 'State',
    cell: (task) => <StatusBadge status={task.state} detail={task.error ?? task.step ?? undefined} />,
  },
  { label: 'Step', cell: (task) => task.error ?? task.step ?? '' },
  { label: 'Took', cell: (task) => <Took task={task} />, end: true, wideOnly: true },
  { label: 'Started', cell: (task) => <Time at={task.created_on} /> },
  { label: 'Id', cell: (task) => <CopyText value={task.id} />, wideOnly: true },
];

const FILTERS = [
  {
    kind: 'choice',
    key: 'state',
    label: 'State',
    options: [
      { value: 'NEW', label: 'Waiting' },
      { value: 'RUNNING', label: 'Running' },
      { value: 'FINISHED', label: 'Done' },
      { value: 'ERROR', label: 'Failed' },
    ],
  },
  { kind: 'text', key: 'task_type', label: 'Type, for example create_loadbalancer' },
] as const;

/** Every change of this project in this region, as it happens. */
export function Tasks() {
  const { project, region } = usePlace();
  const { search, page } = useListSearch();
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/tasks', {
      params: {
        query: {
          ...page,
          project_id: [project],
          region_id: [region],
          ...(search.state ? { state: [search.state as State] } : {}),
          ...(search.task_type ? { task_type: search.task_type } : {}),
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
      rowKey={({ id }) => id}
      empty={{
        title: 'No tasks yet',
        about: 'Create something, and its task appears here and counts up to its end.',
      }}
    />
  );
}

function Took({ task }: { readonly task: Task }) {
  const now = useNow();
  if (!task.created_on) return '';
  const start = readTime(task.created_on).getTime();
  return duration((task.finished_on ? readTime(task.finished_on).getTime() : now) - start);
}
