import { type Examples, several } from '../../platform/openapi/examples.ts';

const public_key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF anna@example.com';

export const sshKeyExamples: Examples = {
  CreateSshKey: several({
    "A key of one's own": { name: 'anna-laptop', public_key },
    'A key that is made here': { name: 'build-server', shared_in_project: true },
  }),
  ShareSshKey: { shared_in_project: true },
  CreateKeyPair: { sshkey_name: 'anna-laptop', public_key },
  CreateKeyPairInProject: { sshkey_name: 'anna-laptop', public_key, project_id: 1 },
};
