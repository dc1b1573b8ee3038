import type { Feature } from '../../platform/feature.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { inferenceSecretExamples } from './examples.ts';
import { inferenceSecretRoutes } from './routes.ts';
import { InferenceSecrets, resealInferenceSecrets } from './service.ts';

export { resealInferenceSecrets } from './service.ts';

export function inferenceSecrets({ cipher }: { cipher: Cipher }): Feature {
  return {
    name: 'inference-secrets',
    areas: { 'Inference secrets': 'Credentials for inference, encrypted at rest.' },
    examples: inferenceSecretExamples,
    searched: [
      { kind: 'inference_secret', table: 'inference_secrets', id: 'name', idType: 'text', region: null },
    ],
    routes: inferenceSecretRoutes(new InferenceSecrets(cipher)),
    reseal: resealInferenceSecrets,
  };
}
