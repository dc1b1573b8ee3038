import { databaseFaults, type Query } from '../chaos/database-faults.ts';
import { type Acknowledged, renamed, type TrialLoad } from './load.ts';

/** What an event did to what was acknowledged while it lasted. */
export interface Verdict {
  readonly lost: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly drifted: number;
}

const NOTHING: Verdict = { lost: 0, doubled: 0, stuck: 0, drifted: 0 };
const ALL = '/cloud/v1/loadbalancers/1/2';

/** Judges each acknowledged creation by what the API and the database say in the end.
 *  lost: its task is unknown; doubled: its name is there twice; stuck: the task has not ended; drifted: it is not as
 *  its last finished task made it. */
export async function judge(query: Query): Promise<(of: readonly Acknowledged[]) => Verdict> {
  const tasks = await statesOf(query);
  const rows = await query(
    'select id, name, provisioning_status as status from load_balancers where project_id = 1',
  );
  const named = new Map<unknown, number>();
  for (const { name } of rows) named.set(name, (named.get(name) ?? 0) + 1);
  const found = new Map(rows.map((row) => [row.id, row]));
  const asMade = ({ id, name, isRenamed, deleted }: Acknowledged, state: string) => {
    if (state !== 'FINISHED' || id === undefined) return state === 'ERROR';
    const row = found.get(id);
    if (deleted || row === undefined) return deleted && row === undefined;
    return row.status === 'ACTIVE' && row.name === (isRenamed ? renamed(name) : name);
  };
  const times = ({ name }: Acknowledged) => (named.get(name) ?? 0) + (named.get(renamed(name)) ?? 0);
  return (of) =>
    of.reduce((sum, made) => {
      const state = tasks.get(made.task);
      return {
        lost: sum.lost + (state === undefined ? 1 : 0),
        doubled: sum.doubled + (times(made) > 1 ? 1 : 0),
        stuck: sum.stuck + (state === 'NEW' || state === 'RUNNING' ? 1 : 0),
        drifted: sum.drifted + (state !== undefined && !asMade(made, state) ? 1 : 0),
      };
    }, NOTHING);
}

/** Tasks of the project of the clients. */
async function statesOf(query: Query): Promise<ReadonlyMap<string, string>> {
  const rows = await query('select id, state from tasks where project_id = 1');
  return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
}

/** Changes and deletions that are lost, locks without tasks, unfinished states, counters that differ, and what the
 *  clients did not expect. */
export async function otherFaults(load: TrialLoad, query: Query): Promise<string[]> {
  const faults = await databaseFaults(query);
  const states = await statesOf(query);
  const wrong = load.tasks.filter((task) => states.get(task) !== 'FINISHED');
  faults.push(...wrong.map((task) => `task ${task} was acknowledged and is ${states.get(task) ?? 'lost'}`));
  const { body } = await load.call('GET', `${ALL}?limit=1`);
  const [{ n } = { n: 0 }] = await query(
    'select count(*)::int as n from load_balancers where project_id = 1 and region_id = 2',
  );
  if (body.count !== n) faults.push(`the list counts ${body.count} load balancers, there are ${n}`);
  return [...faults, ...load.surprises];
}
