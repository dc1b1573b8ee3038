import { type Static, Type } from '@sinclair/typebox';
import { DOTTED_WORDS_RULE } from '../../kernel/rules.ts';
import { worded } from '../../platform/http/patterns.ts';
import { Key, ListOf, ListQuery } from '../../platform/http/schemas.ts';

const NAME = worded('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', DOTTED_WORDS_RULE);
const name = () => Type.String({ minLength: 4, maxLength: 253, pattern: NAME });
/** Far above what any provider of credentials hands out. */
const credential = () => Type.String({ maxLength: 4096 });

const AwsIamData = Type.Object(
  { aws_access_key_id: credential(), aws_secret_access_key: credential() },
  { $id: 'AwsIamData' },
);
export type SecretData = Static<typeof AwsIamData>;

const type = () =>
  Type.String({
    pattern: worded('^aws-iam$', 'must be aws-iam'),
    description: 'aws-iam is the one type there is',
  });

export const InferenceSecret = Type.Object(
  { name: Type.String({ minLength: 4 }), type: Type.String(), data: AwsIamData },
  { $id: 'InferenceSecret' },
);
export type InferenceSecret = Static<typeof InferenceSecret>;
export const InferenceSecretList = ListOf(InferenceSecret, 'InferenceSecretList');

export const CreateInferenceSecret = Type.Object(
  { name: name(), type: type(), data: AwsIamData },
  { $id: 'CreateInferenceSecret' },
);
export type CreateInferenceSecret = Static<typeof CreateInferenceSecret>;

export const ReplaceInferenceSecret = Type.Object(
  { type: type(), data: AwsIamData },
  { $id: 'ReplaceInferenceSecret' },
);
export type ReplaceInferenceSecret = Static<typeof ReplaceInferenceSecret>;

export const SecretParams = Type.Object({ project_id: Key(), secret_name: name() });
export const SecretListQuery = ListQuery({});
export type SecretListQuery = Static<typeof SecretListQuery>;
