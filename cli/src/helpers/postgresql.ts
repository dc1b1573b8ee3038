import { type Command, Option } from 'commander';
import type { Schemas } from '../../../client/src/index.ts';
import { findProgram } from '../../../scripts/lib/system-packages.mjs';
import { Context, type Globals } from '../context.ts';
import { ended } from '../ended.ts';
import { UsageError } from '../failures.ts';
import { addGlobals, addOperation, type Fields } from '../operation-command.ts';
import { operation } from '../operations.ts';
import { pathOf } from '../run-operation.ts';
import type { Terminal } from '../terminal.ts';

/** `pg create shop --database orders --user shop`, and `pg connect shop`. */
export function addPostgresqlHelpers(noun: Command, terminal: Terminal): void {
  addOperation(noun, operation('createPostgresCluster'), terminal, {
    options: [
      new Option('--pg-version <major>', 'such as 18; default: the newest'),
      new Option('--database <name>', 'a database in it, of the user'),
      new Option('--user <name>', 'who may sign in').default('app'),
      new Option('--size <gib>', 'room for data').default('10'),
    ],
    body: (options, context) => clusterOf(options, context),
  });
  const row = operation('getPostgresCluster');
  const command = noun
    .command('connect')
    .description('Open psql on a cluster')
    .argument('<cluster-name>')
    .argument('[psql-arguments...]', 'for psql, after --')
    .addOption(new Option('--database <name>', 'default: the first of the cluster'))
    .addOption(new Option('--user <name>', 'default: the first of the cluster'));
  addGlobals(command, row);
  command.action((name: string, more: string[], options: Globals & Whom) =>
    connect(name, more, options, new Context(terminal, options)),
  );
}

interface Whom {
  readonly database?: string;
  readonly user?: string;
}

/** What people do not want to choose is the first that the region offers. */
async function clusterOf(options: Fields, context: Context): Promise<Fields> {
  const { pgVersion, database, user, size } = options as Readonly<Record<string, string | undefined>>;
  const connection = context.connect();
  const row = operation('getPostgresConfiguration');
  const path = await pathOf(row, [], connection, context);
  const offered = (await connection.client.call('GET', row.path, {
    path,
  })) as Schemas['PostgresqlConfiguration'];
  const { versions, flavors, storage_classes } = offered;
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  const [flavor] = flavors;
  return {
    flavor: { cpu: flavor?.cpu, memory_gib: flavor?.memory_gib },
    storage: { size_gib: Number(size), type: storage_classes[0]?.name },
    network: { network_type: 'public', acl: ['0.0.0.0/0'] },
    high_availability: null,
    pg_server_configuration: { version: pgVersion ?? newest, pg_conf: '' },
    users: [{ name: user, role_attributes: ['LOGIN'] }],
    databases: database === undefined ? [] : [{ name: database, owner: user }],
  };
}

async function connect(name: string, more: readonly string[], whom: Whom, context: Context): Promise<void> {
  const { terminal } = context;
  const psql = findProgram('psql', terminal.env.PATH);
  if (!psql) throw new UsageError('psql is not installed: get it with apt-get install postgresql-client');
  const connection = context.connect();
  const row = operation('getPostgresCluster');
  const path = await pathOf(row, [name], connection, context);
  const cluster = (await connection.client.call('GET', row.path, { path })) as Schemas['PostgresqlCluster'];
  const user = whom.user ?? cluster.users[0]?.name;
  if (user === undefined) throw new UsageError(`${name} has no user: add one with virga pg update`);
  const shown = operation('showPostgresPassword');
  const secret = (await connection.client.call('POST', shown.path, {
    path: { ...path, username: user },
  })) as Schemas['PostgresqlCredentials'];
  const url = new URL(cluster.network.connection_string);
  context.say(`Connecting to ${name} as ${user}`);
  // A password in the environment is in no process list.
  const env = {
    ...terminal.env,
    PGHOST: url.hostname,
    PGPORT: url.port || '5432',
    PGUSER: user,
    PGPASSWORD: secret.password,
    PGDATABASE: whom.database ?? cluster.databases[0]?.name ?? 'postgres',
  };
  ended(await terminal.runProgram(psql, more, env));
}
