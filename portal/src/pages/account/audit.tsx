import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { projectsQuery, regionsQuery } from '../../app/home.ts';
import { apiWords } from '../../ui/api-words.ts';
import { Entry } from '../../ui/entry.tsx';
import { choiceFilter, dateFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, ListPage, useListSearch } from '../../ui/list-page.tsx';
import { Facts } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { given, oneOf } from '../../ui/values.ts';

type Action = Schemas['UserAction'];

/** Of inference several things are changed. */
const nounOf = ({ api_group, resources: [first] }: Action) =>
  api_group === 'inference_at_the_edge' && first ? first.resource_type : api_group;
const whatOf = (action: Action) => apiWords(`${action.action_type}_${nounOf(action)}`);

const COLUMNS: readonly Column<Action>[] = [
  {
    label: 'What',
    cell: whatOf,
  },
  {
    label: 'Which',
    cell: ({ resources }) =>
      resources.map(({ search_field, resource_id }) => search_field || resource_id).join(', '),
  },
  { label: 'Who', cell: ({ email, token_id }) => `${email ?? ''}${token_id ? `, token ${token_id}` : ''}` },
  { label: 'From', cell: ({ source_user_ip }) => <code>{source_user_ip}</code>, wideOnly: true },
  { label: 'When', cell: ({ timestamp }) => <Time at={timestamp} /> },
];

const option = (value: string) => ({ value, label: apiWords(value) });
const ACTIONS = [
  'create',
  'update',
  'delete',
  'attach',
  'detach',
  'start',
  'stop',
  'reboot',
  'resize',
  'failover',
  'upgrade',
] as const;
const NOUNS = [
  'loadbalancer',
  'lblistener',
  'lbpool',
  'instance',
  'volume',
  'snapshot',
  'image',
  'network',
  'subnet',
  'router',
  'securitygroup',
  'floating_ip',
  'k8s_cluster',
  'secret',
  'ssh_key',
  'project',
  'user',
] as const;

/** A moment of a day, as the clock of the reader has it. */
function momentOf(day: string | undefined, time: string): string | undefined {
  const moment = new Date(`${day}T${time}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** What was changed, by whom, from where. */
export function AuditLog() {
  const { page, search } = useListSearch();
  const action = oneOf(ACTIONS, search.action);
  const noun = oneOf(NOUNS, search.noun);
  const [shown, setShown] = useState<Action>();
  const projects = useQuery(projectsQuery());
  const regions = useQuery(regionsQuery());
  const people = useQuery(api.queryOptions('get', '/iam/users', { params: { query: { limit: 1000 } } }));
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/user_actions', {
      params: {
        query: {
          ...page,
          ...given({
            search_field: search.text,
            action_type: action && [action],
            api_group: noun && [noun],
            project_id: search.project ? [Number(search.project)] : undefined,
            region_id: search.region ? [Number(search.region)] : undefined,
            user_id: search.person ? [Number(search.person)] : undefined,
            from_timestamp: momentOf(search.from, '00:00:00.000'),
            to_timestamp: momentOf(search.to, '23:59:59.999'),
          }),
        },
      },
    }),
  );
  return (
    <>
      <ListPage<Action>
        title="Audit log"
        about="Every change of the account: what, by whom, from where. Entries are never changed."
        filters={[
          textFilter('text', 'Name or id'),
          choiceFilter('action', 'What happened', ACTIONS.map(option)),
          choiceFilter('noun', 'To what', NOUNS.map(option)),
          choiceFilter(
            'person',
            'Person',
            (people.data?.results ?? []).map(({ id, email }) => ({ value: String(id), label: email })),
          ),
          dateFilter('from', 'From'),
          dateFilter('to', 'To'),
          choiceFilter(
            'project',
            'Project',
            (projects.data?.results ?? []).map(({ id, name }) => ({
              value: String(id),
              label: name,
            })),
          ),
          choiceFilter(
            'region',
            'Region',
            (regions.data?.results ?? []).map(({ id, display_name }) => ({
              value: String(id),
              label: display_name,
            })),
          ),
        ]}
        result={result}
        columns={COLUMNS}
        actions={[{ label: 'Show all of it', run: setShown }]}
        empty={{ title: 'Nothing has been changed yet', about: 'Each change will stand here.' }}
      />
      <Entry title={shown && whatOf(shown)} close={() => setShown(undefined)}>
        {shown && <WholeAction action={shown} />}
      </Entry>
    </>
  );
}

function WholeAction({ action }: { readonly action: Action }) {
  return (
    <>
      <Facts
        facts={[
          { label: 'When', value: <Time at={action.timestamp} /> },
          { label: 'Who', value: action.email ?? `user ${action.user_id}` },
          { label: 'From', value: action.source_user_ip ?? 'unknown' },
          { label: 'With', value: action.user_agent ?? 'unknown' },
          { label: 'Task', value: action.task_id ?? 'none' },
        ]}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} style={{ maxHeight: 380, overflow: 'auto' }}>
        {JSON.stringify({ resources: action.resources, data: action.action_data }, null, 2)}
      </pre>
    </>
  );
}
