import { expect, test } from 'vitest';
import type { RenderedServer } from './config/rendering.ts';
import { type Desired, nextStep, type Observed } from './next.ts';
import { digest } from './state.ts';

const member = (weight: number): RenderedServer => ({
  name: 'member-1',
  memberId: '1',
  address: 'ipv4@10.0.0.1:80',
  weight,
  enabled: true,
  checked: false,
  probed: false,
  options: [],
});
const backend = (weight: number) => ({
  name: 'pool-1-http',
  poolId: '1',
  enabled: true,
  remembers: false,
  dynamicCookieKey: null,
  servers: [member(weight)],
});

const DESIRED: Desired = {
  rendering: { needed: true, skeleton: 'frontend', files: [], backends: [backend(1)] },
  logging: false,
  replaces: false,
};
const STATE: Observed['state'] = {
  changing: false,
  needed: true,
  logging: false,
  skeleton: digest('frontend'),
  files: {},
  backends: [backend(1)],
};
const SERVED: Observed = { state: STATE, isRunning: true, isFormer: false, isWritten: true };

const seen = (observed: Partial<Observed>, state: Partial<Observed['state']> = {}): Observed => ({
  ...SERVED,
  ...observed,
  state: { ...STATE, ...state },
});
const rendering = (change: Partial<Desired['rendering']>): Desired => ({
  ...DESIRED,
  rendering: { ...DESIRED.rendering, ...change },
});
const lighter = rendering({ backends: [backend(5)] });

test.each<[string, Observed, Desired, string]>([
  ['all is as desired', SERVED, DESIRED, 'nothing'],
  ['it has died', seen({ isRunning: false }), DESIRED, 'reload'],
  ['its files were changed by somebody', seen({ isWritten: false }), DESIRED, 'change'],
  ['a member has another weight', seen({ isWritten: false }), lighter, 'change'],
  [
    'a member has another weight, and it has died',
    seen({ isWritten: false, isRunning: false }),
    lighter,
    'reload',
  ],
  ['it was not sure what it serves', seen({}, { changing: true }), DESIRED, 'reload'],
  ['it writes a log, and is not to', seen({}, { logging: true }), DESIRED, 'reload'],
  ['a failover replaces it', SERVED, { ...DESIRED, replaces: true }, 'reload'],
  ['a listener was added', seen({ isWritten: false }), rendering({ skeleton: 'another' }), 'reload'],
  [
    'a member of version 0.3.0 has another weight',
    seen({ isWritten: false, isFormer: true }),
    lighter,
    'reload',
  ],
  ['nothing is to be served', SERVED, rendering({ needed: false }), 'end'],
  [
    'nothing is to be served, nor is',
    seen({ isRunning: false }, { needed: false }),
    rendering({ needed: false }),
    'nothing',
  ],
])('when %s', (_, observed, desired, kind) => {
  expect(nextStep(observed, desired).kind).toBe(kind);
});

test('what is different is told to the running process', () => {
  expect(nextStep(seen({ isWritten: false }), lighter)).toMatchObject({
    changes: { commands: ['set server pool-1-http/member-1 weight 5'], departed: [] },
  });
});
