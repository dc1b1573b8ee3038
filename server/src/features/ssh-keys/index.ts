import { sql } from '../../platform/database/sql.ts';
import type { Feature } from '../../platform/feature.ts';
import { deprecatedSshKeyRoutes } from './deprecated-routes.ts';
import { sshKeyExamples } from './examples.ts';
import { sshKeyRoutes } from './routes.ts';

export { parsePublicKey, publicKeyBits } from './key-material.ts';
export { findSshKey, findSshKeyIds, viewerOf } from './store.ts';

export function sshKeys(): Feature {
  return {
    name: 'ssh-keys',
    areas: { 'SSH keys': 'Public keys that nodes accept.' },
    nouns: { keypairs: 'KeyPair', ssh_keys: 'SshKey' },
    examples: sshKeyExamples,
    searched: [
      {
        kind: 'ssh_key',
        table: 'ssh_keys',
        region: null,
        where: (userId) => sql`(s.shared_in_project or s.user_id = ${userId}::int)`,
      },
    ],
    routes: [...sshKeyRoutes, ...deprecatedSshKeyRoutes],
  };
}
