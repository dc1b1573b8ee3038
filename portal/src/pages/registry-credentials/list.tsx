import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { passwordField, textField } from '../../ui/fields.ts';
import { type Column, useListOfProject } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import type { Field } from '../../ui/side-form.tsx';
import { terraform } from '../../ui/terraform.ts';
import { texts } from '../../ui/values.ts';

const CREDENTIALS = '/cloud/v3/inference/{project_id}/registry_credentials';

type Credentials = Schemas['InferenceRegistryCredentials'];

const COLUMNS: readonly Column<Credentials>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Registry', cell: ({ registry_url }) => registry_url },
  { label: 'User name', cell: ({ username }) => username },
];

const FIELDS: readonly Field[] = [
  textField('name', 'Name'),
  textField('registry_url', 'Registry', { about: 'docker.io, for example' }),
  textField('username', 'User name'),
  passwordField('password', 'Password or token'),
];

/** What others may see over somebody's shoulder. */
const hidden = <Body extends object>(body: Body) => ({ ...body, password: '…' });

export function RegistryCredentials() {
  const { project, path, params } = useListOfProject();
  const result = useQuery(api.queryOptions('get', CREDENTIALS, { params }));
  return (
    <NounPage
      title="Registry credentials"
      about="What inference signs in to registries of containers with. Passwords are kept encrypted and are not shown again."
      result={result}
      columns={COLUMNS}
      empty={{
        title: 'No registry credentials',
        about: 'Create some for the registry that has your images.',
      }}
      remove={{
        kind: 'registry credentials',
        consequences: () => 'Images of this registry can no longer be pulled with them.',
        askName: () => true,
        call: ({ name }) =>
          apiCall('delete', `${CREDENTIALS}/{credential_name}`, {
            params: { path: { ...path, credential_name: name } },
          }),
      }}
      form={{
        title: 'Create registry credentials',
        fields: FIELDS,
        body: (values) => texts(values, 'name', 'registry_url', 'username', 'password'),
        request: (body) => apiCall('post', CREDENTIALS, { params: { path }, body }),
        shown: hidden,
        terraform: (body) => terraform('gcore_registry_credential', body.name, { project }, hidden(body)),
      }}
    />
  );
}
