import { expect, test } from 'vitest';
import { type Facts, nextStep, type Observed, phaseOf } from './next.ts';

const SERVING: Observed = {
  primary: { process: 'running', isStandby: false },
  replica: { process: 'running', isStandby: true },
  isFenced: false,
  mayTakeOver: true,
  isTakingOver: false,
};
const NONE = { process: 'none', isStandby: false } as const;
const FROZEN = { process: 'frozen', isStandby: false } as const;

test.each<[string, Partial<Observed>, ReturnType<typeof nextStep>]>([
  ['all is well', {}, null],
  ['the primary is lost', { primary: NONE }, 'fence the primary'],
  ['the primary is frozen', { primary: FROZEN }, 'fence the primary'],
  ['the replica is frozen', { replica: { process: 'frozen', isStandby: true } }, 'fence the replica'],
  ['a lost primary can do nothing any more', { primary: NONE, isFenced: true }, 'hand over'],
  [
    'the replica does not have all that it must have',
    { primary: NONE, isFenced: true, mayTakeOver: false },
    'start the primary',
  ],
  ['the replica is lost, too', { primary: NONE, replica: NONE, isFenced: true }, 'start the primary'],
  [
    'the replica is noted as the primary, and runs as what it was',
    { primary: SERVING.replica, replica: NONE, mayTakeOver: false, isTakingOver: true },
    'promote the primary',
  ],
  [
    'the replica was ended before it was the primary',
    {
      primary: { process: 'none', isStandby: true },
      replica: NONE,
      isFenced: true,
      mayTakeOver: false,
      isTakingOver: true,
    },
    'promote the primary',
  ],
  [
    'what was the replica runs as the primary',
    { replica: NONE, mayTakeOver: false, isTakingOver: true },
    'let clients in',
  ],
])('when %s', (_, observed, step) => {
  expect(nextStep({ ...SERVING, ...observed })).toBe(step);
});

const FINE: Facts = { isServing: true, isTakingOver: false, full: undefined, replica: null };

test.each<[Partial<Facts>, ReturnType<typeof phaseOf>]>([
  [{}, 'serving'],
  [{ replica: { hasData: true, mayTakeOver: true } }, 'serving'],
  [{ replica: { hasData: true, mayTakeOver: false } }, 'catching_up'],
  [{ replica: { hasData: false, mayTakeOver: false } }, 'copying_replica'],
  [{ full: { isClosed: false }, replica: { hasData: false, mayTakeOver: false } }, 'read_only'],
  [{ full: { isClosed: true } }, 'closed'],
  [{ isServing: false, full: { isClosed: true } }, 'down'],
  [{ isServing: false, isTakingOver: true }, 'taking_over'],
])('with %j a cluster is %s', (facts, phase) => {
  expect(phaseOf({ ...FINE, ...facts })).toBe(phase);
});
