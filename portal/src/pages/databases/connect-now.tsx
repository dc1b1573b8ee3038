import { useState } from 'react';
import { apiCall, type Schemas } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { startTask } from '../../ui/follow-task.tsx';
import { Card } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import { addressOf } from './access.tsx';
import styles from './connect-now.module.css';
import { type Cluster, clusterPath, whyFixed } from './queries.ts';

/** The last step of a creation: the connection string and the password of its first user, which are shown once. It
 *  stays until somebody has looked at the password, whenever that is. */
export function ConnectNow({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const [shown, setShown] = useState<Schemas['PostgresqlCredentials']>();
  const [database] = cluster.databases;
  const user = cluster.users.find(({ name }) => name === database?.owner) ?? cluster.users[0];
  const address = database ? addressOf(cluster, database) : cluster.network.connection_string;
  const close = () => setShown(undefined);
  const call = () =>
    apiCall(
      'post',
      '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/users/{username}/show_password',
      { params: { path: { ...clusterPath(scope, cluster.cluster_name), username: user?.name ?? '' } } },
    );
  const show = () =>
    void startTask(call(), {
      title: `Password of ${user?.name}`,
      accepted: (data) => setShown(data as Schemas['PostgresqlCredentials']),
    });
  const isOpen = user !== undefined && !user.is_secret_revealed && cluster.status !== 'FAILED';
  const isMade = cluster.status !== 'PREPARING';
  return (
    <>
      {isOpen && (
        <Card title="Connect" aside={isMade ? 'The last step' : 'Comes next'}>
          <div className={styles.step}>
            <span>
              {isMade
                ? `The connection string with the password of ${user.name} is shown once. Have ready where you keep it.`
                : `The connection string and the password of ${user.name} are here as soon as the cluster is.`}
            </span>
            <VerbButton
              onClick={show}
              call={call}
              why={isMade ? whyFixed(cluster) : 'The cluster is still being created'}
            >
              Show connection string and password
            </VerbButton>
          </div>
        </Card>
      )}
      <ShownOnce
        title={`Connect to ${cluster.cluster_name}`}
        about="Keep it where your program reads its secrets. A new password can be made at any time."
        secrets={shown && secretsOf(shown, address)}
        close={close}
      />
    </>
  );
}

const secretsOf = ({ username, password }: Schemas['PostgresqlCredentials'], address: string) => [
  {
    label: 'Connection string',
    value: address.replace(
      /^postgresql:\/\/(?:[^@/]*@)?/,
      `postgresql://${username}:${encodeURIComponent(password)}@`,
    ),
  },
  { label: 'User', value: username },
  { label: 'Password', value: password },
];
