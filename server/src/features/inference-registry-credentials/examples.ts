import type { Examples } from '../../platform/openapi/examples.ts';

const body = {
  registry_url: 'registry.example.com',
  username: 'robot',
  password: 'correct horse battery staple',
};

export const registryCredentialExamples: Examples = {
  CreateInferenceRegistryCredentials: { name: 'models', ...body },
  ReplaceInferenceRegistryCredentials: body,
};
