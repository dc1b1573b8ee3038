import { Link } from '@tanstack/react-router';
import type { Task } from '../../api/tasks.ts';
import { CopyText } from '../../ui/copy.tsx';
import { Card } from '../../ui/page.tsx';
import { type Subject, scopeOf, subjectPath, typeWords } from '../../ui/subject.tsx';
import { type Column, Table } from '../../ui/table.tsx';

/** The types of what tasks name as created. */
const TYPES: Readonly<Record<string, string>> = {
  floatingips: 'floating_ip',
  healthmonitors: 'lb_health_monitor',
  images: 'image',
  instances: 'instance',
  k8s_clusters: 'k8s_cluster',
  k8s_pools: 'k8s_pool',
  l7polices: 'lb_l7policy',
  l7rules: 'lb_l7rule',
  listeners: 'lblistener',
  loadbalancers: 'loadbalancer',
  members: 'lbpool_member',
  networks: 'network',
  pools: 'lbpool',
  ports: 'port',
  postgresql_clusters: 'dbaas_postgres',
  projects: 'project',
  routers: 'router',
  secrets: 'secret',
  security_groups: 'securitygroup',
  security_group_rules: 'security_group_rule',
  servergroups: 'servergroup',
  snapshots: 'snapshot',
  subnets: 'subnet',
  volumes: 'volume',
};

interface Made {
  readonly id: string;
  readonly words: string;
  readonly to: string | undefined;
}

const COLUMNS: readonly Column<Made>[] = [
  {
    label: 'What it is',
    cell: ({ words, to }) =>
      to ? (
        <Link className="link" to={to}>
          {words}
        </Link>
      ) : (
        words
      ),
  },
  { label: 'Id', cell: ({ id }) => <CopyText value={id} /> },
];

/** What a task has created, each with the way there. */
export function MadeBy({ task }: { readonly task: Task }) {
  const rows = Object.entries(task.created_resources ?? {}).flatMap(([kind, ids]) =>
    ids.map((id) => madeOf(task, TYPES[kind] ?? kind, String(id))),
  );
  // What it is about, before its parts.
  rows.sort((a, b) => Number(b.id === task.subject?.id) - Number(a.id === task.subject?.id));
  if (rows.length === 0) return null;
  return (
    <Card title="What it created">
      <Table title="What it created" rows={rows} columns={COLUMNS} rowKey={({ id }) => id} />
    </Card>
  );
}

function madeOf(task: Task, type: string, id: string): Made {
  const scope = scopeOf(task);
  const { subject } = task;
  // Clusters of databases are named, all else by ids.
  const isItself = subject?.id === id || (subject?.type === 'dbaas_postgres' && subject.name === id);
  // Parts are shown where the whole is.
  const whole = subject?.parent ?? (subject && { ...subject, name: subject.name ?? subject.id });
  const made: Subject = {
    type,
    id: isItself ? subject.id : id,
    name: isItself ? subject.name : null,
    parent: isItself ? subject.parent : whole,
  };
  const words = typeWords(made);
  return {
    id,
    words: words.charAt(0).toUpperCase() + words.slice(1),
    to: scope && subjectPath(scope, made),
  };
}
