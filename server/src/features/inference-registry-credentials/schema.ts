import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import { DottedName, Key, ListOf, ListQuery } from '../../platform/http/schemas.ts';

// Each text can be read in one way only, so that a long one that does not match is refused at once.
const REGISTRY = worded(
  '^(?:https?://)?(?:\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*)(?::[0-9]{1,5})?(?:/[-A-Za-z0-9._~/]*)?$',
  'must be the address of a registry, such as docker.io or https://registry.example.com:5000/team, without a user name or password',
);

const ADDRESS = { description: 'The address of the registry of containers.' };
const parts = {
  registry_url: Type.String({ maxLength: 2048, pattern: REGISTRY, ...ADDRESS }),
  username: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The name to sign in to the registry with.',
  }),
};
/** As long as tokens get that registries accept as passwords. */
const password = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'The password or token for the registry. It is kept encrypted, and no call shows it.',
});

export const RegistryCredentials = Type.Object(
  {
    name: Type.String(),
    project_id: Type.Integer(),
    registry_url: Type.String(ADDRESS),
    username: Type.String(),
  },
  { $id: 'InferenceRegistryCredentials' },
);
export type RegistryCredentials = Static<typeof RegistryCredentials>;
export const RegistryCredentialsList = ListOf(RegistryCredentials, 'InferenceRegistryCredentialsList');

export const CreateRegistryCredentials = Type.Object(
  { name: DottedName(), ...parts, password },
  { $id: 'CreateInferenceRegistryCredentials' },
);
export type CreateRegistryCredentials = Static<typeof CreateRegistryCredentials>;

export const ReplaceRegistryCredentials = Type.Object(
  { ...parts, password },
  { $id: 'ReplaceInferenceRegistryCredentials' },
);
export type ReplaceRegistryCredentials = Static<typeof ReplaceRegistryCredentials>;

export const CredentialsParams = Type.Object({
  project_id: Key(),
  credential_name: DottedName({ description: 'The name of the credentials, which stands for their id.' }),
});
export const CredentialsListQuery = ListQuery({});
export type CredentialsListQuery = Static<typeof CredentialsListQuery>;
