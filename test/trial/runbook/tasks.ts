import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../harness/wait.ts';
import { MACHINES } from '../lab.ts';
import type { Attempt, Entry } from './attempt.ts';

/** Entries about tasks of all clients. */

const LBS = '/cloud/v1/loadbalancers/1/2';
const FAULTS = '/virga/v1/simulation/2/faults';
const REASON = 'No space left in rack 4';

interface Listed {
  readonly alive: boolean;
  readonly role: string;
}

export const stateOf = async ({ as }: Attempt, task: string) =>
  (await as.call('GET', `/cloud/v1/tasks/${task}`)).body.state;

/** A creation in the simulated region whose work takes an hour. */
export async function hanging({ lab, as }: Attempt, name: string): Promise<string> {
  await lab.operator.call('POST', FAULTS, { kind: 'create_loadbalancer', name, delay_seconds: 3600 });
  const { body } = await as.call('POST', LBS, { name });
  return body.tasks[0];
}

interface Run {
  readonly run: { readonly task_id: string; readonly node: string | null };
}

export const taskEntries: readonly Entry[] = [
  {
    heading: 'VirgaNobodyWorks',
    fault: 'all workers are killed, and a task waits',
    alerts: ['VirgaNobodyWorks', 'VirgaTasksWait'],
    try: async (attempt) => {
      const { lab, as } = attempt;
      for (const worker of lab.workers.values()) await worker.end('SIGKILL');
      const [task] = (await as.call('POST', LBS, { name: 'waits' })).body.tasks;
      await attempt.alerts();
      const nodes: readonly Listed[] = JSON.parse(await attempt.virga('node list -o json'));
      const working = nodes.filter(({ alive, role }) => alive && role !== 'api').length;
      const state = await stateOf(attempt, task);
      for (const machine of MACHINES) await lab.startWorker(machine);
      await attempt.recovered('what has waited to be done', async () => {
        return (await stateOf(attempt, task)) === 'FINISHED';
      });
      return `\`node list\` named ${working} that work; the task was ${state}, and done when workers were started`;
    },
  },
  {
    heading: 'VirgaTasksLate',
    fault: 'all workers are frozen, and the deadline of a task passes',
    alerts: ['VirgaTasksLate'],
    try: async (attempt) => {
      const { lab } = attempt;
      const task = await hanging(attempt, 'late');
      await waitUntil(async () => (await stateOf(attempt, task)) === 'RUNNING', { what: 'the task to run' });
      const workers = [...lab.workers.values()];
      let found: Run | undefined;
      let state = 'NEW';
      for (const worker of workers) process.kill(worker.process?.pid ?? 0, 'SIGSTOP');
      try {
        // A day passes.
        await attempt.psql(
          `update tasks_active set created_at = created_at - interval '1 day' where id = '${task}'`,
        );
        await attempt.alerts();
        const listed: readonly Run[] = JSON.parse(await attempt.virga('any-task list-tasks-of-all -o json'));
        found = listed.find(({ run }) => run.task_id === task);
        await attempt.virga(`any-task end-task-of-any ${task} --reason "its workers are frozen" --yes`);
        state = await stateOf(attempt, task);
      } finally {
        for (const worker of workers) {
          await worker.end('SIGKILL');
          await worker.start();
        }
      }
      await lab.operator.call('DELETE', FAULTS);
      await attempt.recovered('a change', () => attempt.works());
      return `the list named the task with the process \`${found?.run.node}\`; ended without a worker it was ${state}; the workers were killed and started`;
    },
  },
  {
    heading: 'VirgaTasksFail',
    fault: 'every creation of load balancers in the simulated region fails',
    alerts: ['VirgaTasksFail'],
    try: async (attempt) => {
      const { lab, as } = attempt;
      await lab.operator.call('POST', FAULTS, { kind: 'create_loadbalancer', message: REASON });
      const over = new AbortController();
      const failing = (async () => {
        for (let number = 0; !over.signal.aborted; number++) {
          await as.call('POST', LBS, { name: `fails-${number}` });
          await delay(500);
        }
      })();
      await attempt.alerts();
      over.abort();
      await failing;
      await attempt.virga('any-task list-tasks-of-all -o json');
      const failed: readonly { readonly error: string }[] = JSON.parse(
        await attempt.virga('client list-tasks 1 --state ERROR -o json'),
      );
      const isSaid = failed.some(({ error }) => error.includes(REASON)) ? 'with' : 'without';
      await attempt.virga('engine list');
      await lab.operator.call('DELETE', FAULTS);
      await attempt.recovered('a change', () => attempt.works());
      return `\`client list-tasks\` named the tasks ${isSaid} the reason, which was put right`;
    },
  },
];
