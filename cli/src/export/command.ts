import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { type Schemas, VirgaError } from '../../../client/src/index.ts';
import type { Connection } from '../connection.ts';
import { Context, type Globals } from '../context.ts';
import { UsageError } from '../failures.ts';
import { type Item, itemsOf } from '../names.ts';
import { operation, TABLE } from '../operations.ts';
import type { OperationRow } from '../table/shapes.ts';
import type { Terminal } from '../terminal.ts';
import { ImportBlocks, type Scope } from './imports.ts';

/** What tells of what was done, or is the region's: it cannot be taken elsewhere. */
const LEFT_OUT = new Set([
  'any-task',
  'attention',
  'client',
  'cost',
  'engine',
  'fault',
  'flavor',
  'image',
  'invitation',
  'mail',
  'node',
  'quota',
  'region',
  'resource',
  'session',
  'task',
  'user-action',
]);
/** What it lists belongs to a region that has no such thing, or to others. */
const REFUSED = new Set([403, 404]);

/** `virga export FOLDER`: everything of an account, as the API shows it, and what takes it elsewhere. */
export function addExport(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .helpGroup('Which cloud:')
    .description('write everything of the account into a folder')
    .argument('<folder>', 'what is made; it must not be there, or be empty')
    .option('--profile <name>', 'the cloud that virga login has kept under this name')
    .option('-q, --quiet', 'no progress, and nothing but the answer')
    .action((folder: string, options: Globals) => exportWhole(folder, new Context(terminal, options)));
}

/** Of a folder that is not whole: an export that was killed leaves nothing else. */
const DRAFT = '.incomplete';

/** Folders that are not there, the outermost first: mkdir with `recursive` never ends where none can be made (/proc). */
const missingOf = (folder: string): readonly string[] =>
  existsSync(folder) ? [] : [...missingOf(path.dirname(folder)), folder];

/** Writes into a folder within, which is on the same disk, until all is there. */
async function exportWhole(given: string, context: Context): Promise<void> {
  const folder = path.resolve(context.terminal.cwd, given);
  const draft = path.join(folder, DRAFT);
  const missing = missingOf(folder);
  if (missing.length === 0 && !statSync(folder).isDirectory())
    throw new UsageError(`${folder} is a file: name a folder`);
  if (missing.length === 0 && readdirSync(folder).some((name) => name !== DRAFT))
    throw new UsageError(`${folder} is not empty: name another folder`);
  const connection = context.connect();
  try {
    for (const each of missing) mkdirSync(each, { mode: 0o700 });
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
  } catch (error) {
    throw new UsageError(`${folder} cannot be made: ${error instanceof Error ? error.message : error}`);
  }
  try {
    const { count, imports } = await exportTo(draft, connection, context);
    for (const name of readdirSync(draft)) renameSync(path.join(draft, name), path.join(folder, name));
    rmdirSync(draft);
    context.say(
      `${count} resources are in ${folder}, ${imports} of them can be imported: see README.md there`,
    );
  } catch (error) {
    rmSync(missing[0] ?? draft, { recursive: true, force: true });
    throw error;
  }
}

/** @returns how many resources there are, and how many of them can be imported */
async function exportTo(folder: string, connection: Connection, context: Context) {
  const { terminal } = context;
  const progress = context.globals.quiet ? undefined : terminal.progress('Reading');
  const imports = new ImportBlocks();
  const scripts: Scripts = { databases: [], buckets: [] };
  let count = 0;
  const account = await connection.account();
  for (const { list, scope, file } of await listsOf(connection)) {
    progress?.show(`Reading ${file}`);
    const params = {
      project_id: scope?.project,
      region_id: scope?.region,
      clientId: account,
    };
    const items = await read(connection, list, params);
    if (items.length === 0) continue;
    write(path.join(folder, 'resources', `${file}.json`), `${JSON.stringify(items, null, 2)}\n`);
    count += items.length;
    if (scope) for (const item of items) imports.add(list.id, scope, item);
    if (list.id === 'listPostgresClusters')
      for (const item of items) scripts.databases.push(...(await dumpsOf(connection, params, item)));
    if (list.id === 'listObjectStorages')
      for (const item of items) scripts.buckets.push(...(await copiesOf(connection, item)));
  }
  write(path.join(folder, 'import.tf'), imports.text);
  for (const [name, lines] of Object.entries(scripts))
    if (lines.length > 0) writeScript(path.join(folder, `${name}.sh`), lines);
  write(path.join(folder, 'README.md'), README);
  progress?.clear();
  return { count, imports: imports.size };
}

interface Scripts {
  readonly databases: string[];
  readonly buckets: string[];
}

interface List {
  readonly list: OperationRow;
  readonly scope?: Scope;
  /** Below `resources`, without its ending. */
  readonly file: string;
}

/** What is read: of the account, of each project, and of each region of it. */
async function listsOf({ client }: Connection): Promise<readonly List[]> {
  const { results: projects } = await client.get('/cloud/v1/projects');
  const { results: regions } = await client.get('/cloud/v1/regions');
  return lists().flatMap((list): readonly List[] => {
    const name =
      list.path
        .replaceAll(/\/\{\w+\}/g, '')
        .split('/')
        .at(-1) ?? list.noun;
    if (!list.path.includes('{project_id}')) return [{ list, file: `account/${name}` }];
    return projects.flatMap(({ id: project }): readonly List[] =>
      list.path.includes('{region_id}')
        ? regions.map(({ id: region }) => ({
            list,
            scope: { project, region },
            file: `project-${project}/region-${region}/${name}`,
          }))
        : [{ list, scope: { project }, file: `project-${project}/${name}` }],
    );
  });
}

const lists = (): readonly OperationRow[] =>
  TABLE.operations.filter(
    ({ method, verb, path: at, args, old, noun }) =>
      method === 'GET' &&
      verb === 'list' &&
      args.length === 0 &&
      !old &&
      !LEFT_OUT.has(noun) &&
      !at.startsWith('/virga/v1/'),
  );

/** What lists leave out unless it is asked for. */
const DETAILS: Readonly<Record<string, Item>> = { listPools: { details: true } };

async function read(connection: Connection, list: OperationRow, params: Item): Promise<readonly Item[]> {
  try {
    return await itemsOf({ connection, path: params, list }, DETAILS[list.id]);
  } catch (error) {
    if (error instanceof VirgaError && REFUSED.has(error.status ?? 0)) return [];
    throw error;
  }
}

/** A word of a shell. */
const quoted = (text: unknown): string => `'${String(text).replaceAll("'", "'\\''")}'`;

async function dumpsOf(
  connection: Connection,
  params: Item,
  { cluster_name: cluster }: Item,
): Promise<string[]> {
  const { path: at } = operation('getPostgresCluster');
  const { network, databases, users } = (await connection.client.call('GET', at, {
    path: { ...params, cluster_name: cluster },
  })) as Schemas['PostgresqlCluster'];
  if (!network.connection_string) return [];
  const url = new URL(network.connection_string);
  return databases.map(({ name, owner }) => {
    url.username = owner || (users[0]?.name ?? '');
    url.password = '';
    url.pathname = `/${name}`;
    const file = `databases/${cluster}/${name}.dump`;
    return `mkdir -p ${quoted(path.dirname(file))} && pg_dump --format=custom --file ${quoted(file)} ${quoted(url.href)}`;
  });
}

async function copiesOf(connection: Connection, storage: Item): Promise<string[]> {
  const list = operation('listObjectStorageStorageBuckets');
  const buckets = await read(connection, list, { storage_id: storage.id });
  const isSecured = String(storage.address).startsWith('https:');
  const authority = `buckets/${storage.name}-ca.pem`;
  const known = isSecured ? `AWS_CA_BUNDLE=${quoted(authority)} ` : '';
  const copies = buckets.map(
    ({ name }) =>
      `${known}aws s3 sync --profile ${quoted(storage.name)} --endpoint-url ${quoted(storage.address)} ` +
      `${quoted(`s3://${name}`)} ${quoted(`buckets/${storage.name}/${name}`)}`,
  );
  if (!isSecured || copies.length === 0) return copies;
  const { path: at } = operation('getObjectStorageCaCertificate');
  const { ca_certificate: pem } = (await connection.client.call('GET', at, {
    path: { storage_id: Number(storage.id) },
  })) as Schemas['StorageAuthority'];
  return [`mkdir -p buckets && printf %s ${quoted(pem)} > ${quoted(authority)}`, ...copies];
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

function writeScript(file: string, lines: readonly string[]): void {
  write(file, ['#!/bin/sh', '# Run it in this folder.', 'set -eu', ...lines, ''].join('\n'));
  chmodSync(file, 0o700);
}

const README = `# What an account has

- \`resources\`: every resource as the API shows it, by account, project and region. Passwords and keys are not in it.
- \`import.tf\`: import blocks for the infrastructure tool. \`eval "$(virga env)"\`, then
  \`terraform init && terraform plan -generate-config-out=resources.tf\` writes the configuration of what is there.
  Review it: the plan must say "0 to add" and "0 to destroy". What it would change are arguments that the provider does
  not read back, such as \`create_router\`. What a Kubernetes cluster has made is left out.
- \`databases.sh\`: dumps of all PostgreSQL databases, by \`pg_dump\`, which asks for the password of each user or reads
  \`~/.pgpass\`.
- \`buckets.sh\`: copies of all buckets, by the AWS command line, with a profile named like the storage
  (\`virga storage create-access-key\` makes a key).
`;
