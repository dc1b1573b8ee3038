import type { Examples } from '../../platform/openapi/examples.ts';

export const projectExamples: Examples = {
  CreateProject: { name: 'shop-production', description: 'What customers use' },
  ReplaceProject: { name: 'shop-archive', description: null },
  UpdateProject: { name: 'shop-staging', description: 'Where releases are tried' },
};
