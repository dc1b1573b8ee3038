import type { Transitions } from '../../kernel/transitions.ts';
import type { ClusterRow } from './model.ts';
import type { ServingPhase } from './port.ts';

/** What a cluster is doing: its status, in more words. */
export type Phase =
  | ServingPhase
  | 'creating'
  | 'restoring'
  | 'changing'
  | 'upgrading'
  | 'deleting'
  | 'failed';

/** What may come of any that no task works on. */
const ALWAYS: readonly Phase[] = ['changing', 'upgrading', 'deleting', 'stopped'];
const SERVING: readonly Phase[] = [
  'serving',
  'copying_replica',
  'catching_up',
  'taking_over',
  'read_only',
  'closed',
  'down',
];

/** Which phase may follow which; a short one may pass unseen. */
export const PHASE_TRANSITIONS: Transitions<Phase> = {
  creating: ['serving', 'restoring', 'deleting', 'failed'],
  restoring: ['serving', 'deleting', 'failed'],
  serving: [...ALWAYS, 'catching_up', 'copying_replica', 'taking_over', 'read_only', 'down'],
  copying_replica: [...ALWAYS, 'catching_up', 'read_only', 'down'],
  catching_up: [...ALWAYS, 'serving', 'copying_replica', 'read_only', 'down'],
  taking_over: [...ALWAYS, 'copying_replica', 'down'],
  read_only: [...ALWAYS, 'serving', 'catching_up', 'copying_replica', 'closed', 'taking_over', 'down'],
  closed: [...ALWAYS, 'read_only', 'taking_over', 'down'],
  down: [...ALWAYS, 'serving', 'catching_up', 'copying_replica', 'read_only', 'closed'],
  stopped: [...SERVING, 'changing', 'upgrading', 'deleting'],
  changing: ['serving', 'catching_up', 'deleting'],
  upgrading: ['serving', 'copying_replica', 'deleting'],
  deleting: ['failed'],
  failed: ['deleting'],
};

export const PHASES = Object.keys(PHASE_TRANSITIONS) as Phase[];

type Told = Pick<ClusterRow, 'status' | 'spec' | 'next_spec' | 'restored_from' | 'host' | 'observed'>;

export function phaseOf(row: Told): Phase {
  const { status, spec, next_spec: next, restored_from: source, host, observed } = row;
  switch (status) {
    case 'PREPARING':
      return source === null || host === null ? 'creating' : 'restoring';
    case 'UPDATING':
      return next !== null && next.version !== spec.version ? 'upgrading' : 'changing';
    case 'DELETING':
      return 'deleting';
    case 'FAILED':
      return 'failed';
    case 'READY':
      return observed?.servers?.phase ?? 'serving';
  }
}
