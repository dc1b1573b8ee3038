import type { Examples } from '../../platform/openapi/examples.ts';

const data = {
  aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  aws_secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

export const inferenceSecretExamples: Examples = {
  CreateInferenceSecret: { name: 'model-registry', type: 'aws-iam', data },
  ReplaceInferenceSecret: { type: 'aws-iam', data },
};
