import type { Examples } from '../../platform/openapi/examples.ts';

export const serverGroupExamples: Examples = {
  CreateServerGroup: { name: 'shop-web', policy: 'anti-affinity' },
};
