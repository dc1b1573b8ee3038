import { type Examples, several } from '../../platform/openapi/examples.ts';

export const simulationExamples: Examples = {
  NewSimulatedFault: several({
    'The first two attempts of each name fail': {
      kind: 'create_loadbalancer',
      first: 2,
      message: 'no host has room for it',
    },
    'The next volume takes half a minute longer': {
      kind: 'create_volume',
      next: 1,
      delay_seconds: 30,
      fail: false,
    },
    'One in ten fails': { kind: 'create_vm', rate: 0.1 },
  }),
};
