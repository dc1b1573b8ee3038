import { expect, test } from 'vitest';
import { converge } from './converge.ts';

/** A lamp that is to be screwed in and switched on. */
function lamp(isBroken = false) {
  const state = { isIn: false, isOn: false };
  return {
    observe: () => ({ ...state }),
    next: ({ isIn, isOn }: typeof state) => (isIn ? (isOn ? null : 'switch') : 'screw'),
    steps: {
      screw: async () => {
        state.isIn = true;
      },
      switch: async () => {
        state.isOn = !isBroken;
      },
    },
  };
}

test('what is desired is come to step by step, and then nothing is left to do', async () => {
  const work = lamp();
  expect(await converge(work)).toEqual(['screw', 'switch']);
  expect(await converge(work)).toEqual([]);
});

test('a step that does not help is not taken for ever', async () => {
  await expect(converge(lamp(true))).rejects.toThrow('"switch" was done, and would have to be done again');
});
