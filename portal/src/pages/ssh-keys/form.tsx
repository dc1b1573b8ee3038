import { useState } from 'react';
import { apiCall, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { areaField, textField } from '../../ui/fields.ts';
import { type FormOptions, SideForm } from '../../ui/side-form.tsx';
import { terraform } from '../../ui/terraform.ts';
import { texts } from '../../ui/values.ts';
import { VerbButton } from '../../ui/verb-button.tsx';

export const KEYS = '/cloud/v1/ssh_keys/{project_id}';

/** The form that adds a key to a project. */
export const sshKeyForm = (project: number): FormOptions<Schemas['CreateSshKey']> => ({
  title: 'Add SSH key',
  fields: [
    textField('name', 'Name'),
    areaField('public_key', 'Public key', {
      placeholder: 'ssh-ed25519 AAAA…',
      about: 'The content of a .pub file',
    }),
    { key: 'shared_in_project', label: 'Everybody in the project may use it', kind: 'switch', initial: true },
  ],
  body: (values) => ({
    ...texts(values, 'name', 'public_key'),
    shared_in_project: values.shared_in_project === true,
  }),
  request: (body) => apiCall('post', KEYS, { params: { path: { project_id: project } }, body }),
  terraform: (body) => terraform('gcore_keypair', body.name, { project }, { ...body }),
});

interface AddSshKeyProps {
  readonly project: number;
  /** Hears the name of the key that was added. */
  readonly choose: (name: string) => void;
}

/** Adds a key where one is asked for, without leaving the form. */
export function AddSshKey({ project, choose }: AddSshKeyProps) {
  const [opened, setOpened] = useState(false);
  const form = sshKeyForm(project);
  return (
    <>
      <VerbButton
        size="xs"
        variant="default"
        call={needsOf('post', KEYS, project)}
        onClick={() => setOpened(true)}
        style={{ alignSelf: 'flex-start' }}
      >
        Add SSH key…
      </VerbButton>
      <SideForm
        {...form}
        done={(data) => choose((data as Schemas['SshKey']).name)}
        opened={opened}
        close={() => setOpened(false)}
      />
    </>
  );
}
