import { useState } from 'react';
import { apiCall, type Schemas } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { bytes } from '../../ui/bytes.ts';
import { CopyText } from '../../ui/copy.tsx';
import { rowCall } from '../../ui/row-call.ts';
import type { RowAction } from '../../ui/row-menu.tsx';
import { TableCard } from '../../ui/rows.tsx';
import { type Secret, ShownOnce } from '../../ui/shown-once.tsx';
import type { Column } from '../../ui/table.tsx';
import { type Cluster, clusterPath, whyFixed } from './queries.ts';
import { useNewDatabase, useNewUser } from './verbs.ts';

type Database = Cluster['databases'][number];
type User = Cluster['users'][number];

/** The address of one database for one user, as the cluster's own one is. */
export const addressOf = ({ network: { connection_string: whole } }: Cluster, { name, owner }: Database) => {
  const url = /^postgresql:\/\/(?:[^@/]*@)?([^/]*)\/[^?]*(.*)$/.exec(whole);
  return url ? `postgresql://${owner}@${url[1]}/${name}${url[2]}` : '';
};

const databaseColumns = (cluster: Cluster): readonly Column<Database>[] => [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Owner', cell: ({ owner }) => owner },
  { label: 'Size', cell: ({ size }) => bytes(size), end: true },
  {
    label: 'Connect',
    cell: (one) => (
      <CopyText value={addressOf(cluster, one)} label={`Copy connection string of ${one.name}`} />
    ),
  },
];

const USER_COLUMNS: readonly Column<User>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'May', cell: ({ role_attributes: may }) => may.join(', ').toLowerCase() || 'sign in' },
  { label: 'Password', cell: ({ is_secret_revealed: shown }) => (shown ? 'was shown' : 'not shown yet') },
];

/** The databases of a cluster, and who signs in to them. */
export function DatabasesAndUsers({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const newDatabase = useNewDatabase(scope);
  const newUser = useNewUser(scope);
  const passwords = usePasswords(cluster);
  return (
    <>
      <TableCard
        title="Databases"
        aside={<ActionButton action={newDatabase.action} row={cluster} />}
        rows={cluster.databases}
        columns={databaseColumns(cluster)}
        rowKey={({ name }) => name}
        empty={{ title: 'No databases', about: 'Add one: each belongs to a user. Drop it with SQL.' }}
      />
      <TableCard
        title="Users"
        aside={<ActionButton action={newUser.action} row={cluster} />}
        rows={cluster.users}
        columns={USER_COLUMNS}
        rowKey={({ name }) => name}
        actions={passwords.actions}
        empty={{ title: 'No users', about: 'Add one, and show its password once.' }}
      />
      {newDatabase.dialog}
      {newUser.dialog}
      <ShownOnce
        title={`The password of ${passwords.shown?.username ?? ''}`}
        about="Keep it where your program reads its secrets. A new one can be made at any time."
        secrets={passwords.shown && secretsOf(passwords.shown)}
        close={passwords.close}
      />
    </>
  );
}

const secretsOf = ({ username, password }: Schemas['PostgresqlCredentials']): readonly Secret[] => [
  { label: 'User', value: username },
  { label: 'Password', value: password },
];

function usePasswords(cluster: Cluster) {
  const scope = useScope();
  const [shown, setShown] = useState<Schemas['PostgresqlCredentials']>();
  const path = (username: string) => ({ ...clusterPath(scope, cluster.cluster_name), username });
  const PATH =
    '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/users/{username}/credentials';
  const SHOW =
    '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/users/{username}/show_password';
  const accepted = (data: unknown) => setShown(data as Schemas['PostgresqlCredentials']);
  const actions: readonly RowAction<User>[] = [
    rowCall({
      label: 'Show password, once',
      title: ({ name }) => `Password of ${name}`,
      disabled: ({ is_secret_revealed: was }) => (was ? 'It was shown; make a new one' : whyFixed(cluster)),
      call: ({ name }) => apiCall('post', SHOW, { params: { path: path(name) } }),
      accepted,
    }),
    rowCall({
      label: 'Make a new password',
      title: ({ name }) => `New password of ${name}`,
      disabled: () => whyFixed(cluster),
      call: ({ name }) => apiCall('post', PATH, { params: { path: path(name) } }),
      accepted,
    }),
  ];
  return { actions, shown, close: () => setShown(undefined) };
}
