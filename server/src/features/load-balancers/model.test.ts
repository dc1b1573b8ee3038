import { expect, test } from 'vitest';
import { Conflict } from '../../kernel/errors.ts';
import { PROVISIONING_STATUSES, type ProvisioningStatus, requireTransition, TRANSITIONS } from './model.ts';

const attempt = (from: ProvisioningStatus, to: ProvisioningStatus, task_id: string | null = null) => {
  try {
    requireTransition({ id: 'lb', task_id, provisioning_status: from }, to);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return error;
  }
};

test('only what is at rest can be changed or deleted', () => {
  const allowed = (to: ProvisioningStatus) =>
    PROVISIONING_STATUSES.filter((from) => attempt(from, to) === 'allowed');
  expect(allowed('PENDING_UPDATE')).toEqual(['ACTIVE', 'ERROR']);
  expect(allowed('PENDING_DELETE')).toEqual(['ACTIVE', 'ERROR']);
  expect(allowed('PENDING_CREATE')).toEqual([]);
});

test('every state but the last one leads somewhere, and all are reachable', () => {
  const reachable = new Set<ProvisioningStatus>(['PENDING_CREATE', ...Object.values(TRANSITIONS).flat()]);
  expect([...reachable].sort()).toEqual([...PROVISIONING_STATUSES].sort());
  for (const from of PROVISIONING_STATUSES) expect(TRANSITIONS[from].length > 0).toBe(from !== 'DELETED');
});

test('whoever holds it is named, and waiting helps', () => {
  const refused = attempt('PENDING_UPDATE', 'PENDING_DELETE', 'task-7');
  expect(refused).toMatchObject({ message: expect.stringContaining('task-7'), retryAfterMs: 1000 });
  expect(attempt('PENDING_CREATE', 'PENDING_DELETE')).toMatchObject({ retryAfterMs: undefined });
});
