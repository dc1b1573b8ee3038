import type { Feature } from '../../platform/feature.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { registryCredentialExamples } from './examples.ts';
import { registryCredentialRoutes } from './routes.ts';
import { RegistryCredentials, resealRegistryPasswords } from './service.ts';

export function inferenceRegistryCredentials({ cipher }: { cipher: Cipher }): Feature {
  return {
    name: 'inference-registry-credentials',
    areas: {
      'Inference registry credentials': 'What inference signs in to registries of containers with.',
    },
    nouns: { registry_credentials: ['RegistryCredential', 'RegistryCredentials'] },
    examples: registryCredentialExamples,
    searched: [
      {
        kind: 'registry_credentials',
        table: 'inference_registry_credentials',
        id: 'name',
        idType: 'text',
        region: null,
      },
    ],
    routes: registryCredentialRoutes(new RegistryCredentials(cipher)),
    reseal: resealRegistryPasswords,
  };
}
