import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { CopyText } from '../../ui/copy.tsx';
import { textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfProject } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { Time } from '../../ui/time.tsx';
import { KEYS, sshKeyForm } from './form.tsx';

type SshKey = Schemas['SshKey'];

const COLUMNS: readonly Column<SshKey>[] = [
  { label: 'Name', cell: ({ name }) => name },
  {
    label: 'Fingerprint',
    cell: ({ fingerprint }) => <CopyText value={fingerprint} label="Copy fingerprint" />,
  },
  {
    label: 'Who may use it',
    cell: ({ shared_in_project }) => (shared_in_project ? 'Everybody in the project' : 'You'),
  },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function SshKeys() {
  const { project, path, params } = useListOfProject(({ name }) => ({ name__contains: name }));
  const result = useQuery(api.queryOptions('get', KEYS, { params }));
  return (
    <NounPage
      title="SSH keys"
      about="Public keys that new instances and nodes of clusters are given, so that you can sign in to them."
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={COLUMNS}
      empty={{
        title: 'No SSH keys',
        about: 'Add the public half of your key. Clusters need one.',
        code: 'cat ~/.ssh/id_ed25519.pub',
      }}
      remove={{
        kind: 'SSH key',
        consequences: () => 'New instances can no longer be given it. Instances that have it keep it.',
        call: ({ id }) =>
          apiCall('delete', `${KEYS}/{ssh_key_id}`, { params: { path: { ...path, ssh_key_id: id } } }),
      }}
      form={sshKeyForm(project)}
    />
  );
}
