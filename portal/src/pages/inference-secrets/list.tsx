import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { passwordField, textField } from '../../ui/fields.ts';
import { type Column, useListOfProject } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { type Field, text } from '../../ui/side-form.tsx';

const SECRETS = '/cloud/v3/inference/{project_id}/secrets';

type InferenceSecret = Schemas['InferenceSecret'];

const COLUMNS: readonly Column<InferenceSecret>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Type', cell: ({ type }) => type },
  { label: 'Value', cell: () => 'hidden' },
];

const FIELDS: readonly Field[] = [
  textField('name', 'Name'),
  textField('id', 'AWS access key id', { fault: 'data.aws_access_key_id' }),
  passwordField('secret', 'AWS secret access key', { fault: 'data.aws_secret_access_key' }),
];

export function InferenceSecrets() {
  const { path, params } = useListOfProject();
  const result = useQuery(api.queryOptions('get', SECRETS, { params }));
  return (
    <NounPage
      title="Inference secrets"
      about="Credentials that inference uses to read models and data. They are kept encrypted."
      result={result}
      columns={COLUMNS}
      empty={{
        title: 'No inference secrets',
        about: 'Create one with the AWS key of the bucket that has your models.',
      }}
      remove={{
        kind: 'secret',
        consequences: () => 'Models that use it can no longer read their data.',
        askName: () => true,
        call: ({ name }) =>
          apiCall('delete', `${SECRETS}/{secret_name}`, { params: { path: { ...path, secret_name: name } } }),
      }}
      form={{
        title: 'Create secret',
        fields: FIELDS,
        body: (values) => ({
          name: text(values, 'name'),
          type: 'aws-iam',
          data: { aws_access_key_id: text(values, 'id'), aws_secret_access_key: text(values, 'secret') },
        }),
        request: (body) => apiCall('post', SECRETS, { params: { path }, body }),
        shown: (body) => ({ ...body, data: { ...body.data, aws_secret_access_key: '…' } }),
      }}
    />
  );
}
