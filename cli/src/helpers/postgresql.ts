import { type Command, Option } from 'commander';
import { type Schemas, VirgaError } from '../../../client/src/index.ts';
import { findProgram } from '../../../scripts/lib/system-packages.mjs';
import { Context, type Globals } from '../context.ts';
import { ended } from '../ended.ts';
import { UsageError } from '../failures.ts';
import { addGlobals, addOperation, type Fields } from '../operation-command.ts';
import { operation } from '../operations.ts';
import { pathOf } from '../run-operation.ts';
import type { Terminal } from '../terminal.ts';
import { textOf } from '../values.ts';

/** `pg create shop --database orders --user shop`, `pg connect shop` and `pg query shop 'select 1'`. */
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
  addQuery(noun, terminal);
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

/** `pg query shop 'select 1'`, where there is no psql. */
function addQuery(noun: Command, terminal: Terminal): void {
  const row = operation('getPostgresCluster');
  const command = noun
    .command('query')
    .description('Run a statement of SQL on a cluster')
    .argument('<cluster-name>')
    .argument('<sql>', 'the statement; @file reads it from a file, @- from standard input')
    .addOption(new Option('--database <name>', 'default: the first of the cluster'))
    .addOption(new Option('--user <name>', 'default: the first of the cluster'));
  addGlobals(command, row);
  command.action(async (name: string, sql: string, options: Globals & Whom) => {
    const context = new Context(terminal, options);
    const found = await find(name, options, context);
    const client = await connected(found);
    try {
      const { rows, command: done, rowCount } = await client.query(textOf(sql, terminal));
      if (rows.length > 0) context.print(rows);
      else context.say(`${done}${rowCount === null ? '' : ` ${rowCount}`}`);
    } finally {
      await client.end();
    }
  });
}

type Target = Awaited<ReturnType<typeof find>>;

const TRY_EVERY_MS = 250;
const PATIENCE_MS = 30_000;
/** Nobody listens yet, or who does lets nobody in yet: cannot_connect_now. */
const NOT_YET = ['ECONNREFUSED', '57P03'];

/** A cluster may be on its way up: after a start of its cloud, or a fail-over. */
async function connected(target: Target) {
  const { default: pg } = await import('pg');
  for (let waited = 0; ; waited += TRY_EVERY_MS) {
    // As with sslmode=require of the connection string.
    const client = new pg.Client({ ...target, ssl: { rejectUnauthorized: false } });
    try {
      await client.connect();
      return client;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!NOT_YET.includes(code) || waited >= PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
  }
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
  const { host, port, user, password, database } = await find(name, whom, context);
  context.say(`Connecting to ${name} as ${user}`);
  // A password in the environment is in no process list.
  const env = {
    ...terminal.env,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
  };
  ended(await terminal.runProgram(psql, more, env));
}

/** How to connect to a cluster. */
async function find(name: string, whom: Whom, context: Context) {
  const connection = context.connect();
  const row = operation('getPostgresCluster');
  const path = await pathOf(row, [name], connection, context);
  const cluster = (await connection.client.call('GET', row.path, { path })) as Schemas['PostgresqlCluster'];
  const user = whom.user ?? cluster.users[0]?.name;
  if (user === undefined) throw new UsageError(`${name} has no user: add one with virga pg update`);
  const password = context.terminal.env.PGPASSWORD ?? (await passwordOf(user, { name, path, connection }));
  const url = new URL(cluster.network.connection_string);
  const database = whom.database ?? cluster.databases[0]?.name ?? 'postgres';
  return { host: url.hostname, port: Number(url.port || 5432), user, password, database };
}

interface Known {
  readonly name: string;
  readonly path: Awaited<ReturnType<typeof pathOf>>;
  readonly connection: ReturnType<Context['connect']>;
}

/** @throws UsageError when it was shown before */
async function passwordOf(user: string, { name, path, connection }: Known): Promise<string> {
  const row = operation('showPostgresPassword');
  try {
    const call = { path: { ...path, username: user } };
    const shown = (await connection.client.call('POST', row.path, call)) as Schemas['PostgresqlCredentials'];
    return shown.password;
  } catch (error) {
    if (!(error instanceof VirgaError) || error.status !== 409) throw error;
    throw new UsageError(
      `The password of ${user} was shown already: set PGPASSWORD, or make a new one with virga pg renew-credentials ${name} ${user}`,
    );
  }
}
