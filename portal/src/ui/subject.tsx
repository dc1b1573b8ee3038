import type { Schemas } from '../api/client.ts';
import { pathIn, type Scope } from '../api/scope.ts';
import { Link } from './routing.tsx';

export type Subject = Schemas['TaskSubject'];
type Task = Schemas['Task'];

/** What people call a type of resource, and where its pages are. */
interface Noun {
  readonly words: string;
  /** Absent: it is shown where what it is part of is. */
  readonly page?: string;
  /** What names its own page, where it has one: its id, or its name. */
  readonly by?: 'id' | 'name';
}

const NOUNS: Readonly<Record<string, Noun>> = {
  dbaas_postgres: { words: 'PostgreSQL cluster', page: 'databases', by: 'name' },
  external_ip: { words: 'reserved fixed IP', page: 'reserved-ips' },
  floating_ip: { words: 'floating IP', page: 'floating-ips' },
  image: { words: 'image', page: 'images' },
  instance: { words: 'instance', page: 'instances', by: 'id' },
  k8s_cluster: { words: 'Kubernetes cluster', page: 'kubernetes', by: 'name' },
  k8s_pool: { words: 'node pool' },
  lb_health_monitor: { words: 'health monitor' },
  lb_l7policy: { words: 'L7 policy' },
  lb_l7rule: { words: 'L7 rule' },
  lblistener: { words: 'listener' },
  lbpool: { words: 'pool' },
  lbpool_member: { words: 'member' },
  loadbalancer: { words: 'load balancer', page: 'load-balancers', by: 'id' },
  network: { words: 'network', page: 'networks', by: 'id' },
  object_storage: { words: 'storage', page: 'storages', by: 'id' },
  port: { words: 'port', page: 'ports' },
  project: { words: 'project' },
  router: { words: 'router', page: 'routers', by: 'id' },
  lifecycle_policy: { words: 'lifecycle policy', page: 'lifecycle-policies' },
  secret: { words: 'certificate', page: 'secrets' },
  securitygroup: { words: 'security group', page: 'security-groups', by: 'id' },
  servergroup: { words: 'server group', page: 'server-groups' },
  sftp_storage: { words: 'SFTP storage', page: 'storages' },
  snapshot: { words: 'snapshot', page: 'snapshots' },
  subnet: { words: 'subnet', page: 'networks' },
  volume: { words: 'volume', page: 'volumes', by: 'id' },
};

/** `load balancer` for `loadbalancer`. */
export const typeWords = ({ type }: Pick<Subject, 'type'>): string =>
  NOUNS[type]?.words ?? type.replaceAll('_', ' ');

/** The address of the page that shows a resource, or of what it is part of. */
export function subjectPath(scope: Scope, subject: Subject): string | undefined {
  const shown = NOUNS[subject.type]?.page ? subject : subject.parent;
  const noun = shown && NOUNS[shown.type];
  if (!noun?.page) return undefined;
  const own = noun.by === undefined ? undefined : shown?.[noun.by];
  if (noun.by === 'name' && !own) return undefined;
  return pathIn(scope, noun.page, ...(own ? [own] : []));
}

/** `http of web`; what has no name is told apart by the beginning of its id. */
export function subjectName({ type, id, name, parent }: Subject): string {
  // A node pool's name begins with its cluster's.
  const own = name ?? id.slice(0, 8);
  return parent && type !== 'k8s_pool' ? `${own} of ${parent.name}` : own;
}

/** Where a task works; undefined for one of no region. */
export const scopeOf = ({ project_id: project, region_id: region }: Task): Scope | undefined =>
  project === null || region === null ? undefined : { project, region };

/** Whether what a task is about went with it: it was deleted, or its creation was undone. */
const isGone = ({ task_type, state }: Task): boolean =>
  (state === 'FINISHED' && task_type.startsWith('delete_')) ||
  (state === 'ERROR' && task_type.startsWith('create_'));

/** The page of what a task is about, as long as there is it. */
export function pathOfTask(task: Task): string | undefined {
  const scope = scopeOf(task);
  return task.subject && scope && !isGone(task) ? subjectPath(scope, task.subject) : undefined;
}

/** What a task is about; a link as long as there is it. */
export function SubjectOf({
  task,
  follow,
}: {
  readonly task: Task;
  readonly follow?: (() => void) | undefined;
}) {
  if (!task.subject) return '';
  const to = pathOfTask(task);
  const name = subjectName(task.subject);
  return to ? (
    <Link className="link" to={to} onClick={follow}>
      {name}
    </Link>
  ) : (
    name
  );
}
