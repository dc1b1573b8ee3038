import { expect, test } from 'vitest';
import { Conflict } from '../../kernel/errors.ts';
import { requireTransition, statesBefore } from '../../kernel/transitions.ts';
import { CLUSTER_TRANSITIONS, NODE_TRANSITIONS, POOL_TRANSITIONS } from './states.ts';

test('a change that the table does not name is a conflict that says so', () => {
  expect(() => requireTransition('cluster a', CLUSTER_TRANSITIONS, 'Deleting', 'Provisioning')).toThrow(
    new Conflict('cluster a is Deleting and cannot become Provisioning'),
  );
  expect(() => requireTransition('cluster a', CLUSTER_TRANSITIONS, 'Provisioned', 'Deleting')).not.toThrow();
});

test('no state is a trap: a cluster and a pool can always be changed again, a node always be removed', () => {
  for (const table of [CLUSTER_TRANSITIONS, POOL_TRANSITIONS]) {
    for (const next of Object.values(table)) expect(next.length).toBeGreaterThan(0);
  }
  expect(statesBefore(NODE_TRANSITIONS, 'REMOVING')).toEqual(['BUILDING', 'READY', 'UNREADY']);
  expect(statesBefore(NODE_TRANSITIONS, 'READY')).toEqual(['BUILDING', 'UNREADY']);
});
