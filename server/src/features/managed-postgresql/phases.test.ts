import { expect, test } from 'vitest';
import type { ClusterRow, ClusterSpec } from './model.ts';
import { phaseOf } from './phases.ts';

const spec = { version: '17' } as ClusterSpec;
const ROW: Parameters<typeof phaseOf>[0] = {
  status: 'READY',
  spec,
  next_spec: null,
  restored_from: null,
  host: '127.77.0.2',
  observed: null,
};
const source = { cluster_id: 'another', until: null };
const seen = (phase: string) => ({ servers: { phase } }) as ClusterRow['observed'];

test.each<[Partial<typeof ROW>, string]>([
  [{ status: 'PREPARING' }, 'creating'],
  [{ status: 'PREPARING', restored_from: source, host: null }, 'creating'],
  [{ status: 'PREPARING', restored_from: source }, 'restoring'],
  [{ status: 'UPDATING', next_spec: spec }, 'changing'],
  [{ status: 'UPDATING' }, 'changing'],
  [{ status: 'UPDATING', next_spec: { ...spec, version: '18' } }, 'upgrading'],
  [{ status: 'DELETING', observed: seen('serving') }, 'deleting'],
  [{ status: 'FAILED', observed: seen('serving') }, 'failed'],
  [{}, 'serving'],
  [{ restored_from: source }, 'serving'],
  [{ observed: seen('catching_up') }, 'catching_up'],
])('%j is %s', (row, phase) => {
  expect(phaseOf({ ...ROW, ...row })).toBe(phase);
});
