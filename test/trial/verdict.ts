import { databaseFaults, type Query } from '../chaos/database-faults.ts';
import type { Acknowledged, TrialLoad } from './load.ts';

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
export async function judge(
  _load: TrialLoad,
  query: Query,
): Promise<(of: readonly Acknowledged[]) => Verdict> {
  const tasks = new Map(
    (await query('select id, state from tasks where project_id = 1')).map(({ id, state }) => [
      id,
      String(state),
    ]),
  );
  const rows = await query(
    'select id, name, provisioning_status as status from load_balancers where project_id = 1',
  );
  const named = new Map<string, number>();
  for (const { name } of rows) named.set(String(name), (named.get(String(name)) ?? 0) + 1);
  const status = new Map(rows.map(({ id, status }) => [String(id), String(status)]));
  const asMade = ({ id, deleted }: Acknowledged, state: string) => {
    if (state !== 'FINISHED' || id === undefined) return state === 'ERROR';
    return deleted ? !status.has(id) : status.get(id) === 'ACTIVE';
  };
  return (of) =>
    of.reduce((sum, made) => {
      const state = tasks.get(made.task);
      return {
        lost: sum.lost + (state === undefined ? 1 : 0),
        doubled: sum.doubled + ((named.get(made.name) ?? 0) > 1 ? 1 : 0),
        stuck: sum.stuck + (state === 'NEW' || state === 'RUNNING' ? 1 : 0),
        drifted: sum.drifted + (state !== undefined && !asMade(made, state) ? 1 : 0),
      };
    }, NOTHING);
}

/** Locks without tasks, unfinished states, counters that differ, and what the clients did not expect. */
export async function otherFaults(load: TrialLoad, query: Query): Promise<string[]> {
  const faults = await databaseFaults(query);
  const { body } = await load.call('GET', `${ALL}?limit=1`);
  const [{ n } = { n: 0 }] = await query(
    'select count(*)::int as n from load_balancers where project_id = 1',
  );
  if (body.count !== n) faults.push(`the list counts ${body.count} load balancers, there are ${n}`);
  return [...faults, ...load.surprises];
}
