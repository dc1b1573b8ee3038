import { leastRole, type Task } from '../../client/src/index.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Interrupted, UsageError } from './failures.ts';
import { followTask } from './follow.ts';
import { idOf, isId, itemsOf } from './names.ts';
import { operation } from './operations.ts';
import { printable } from './output/cells.ts';
import { type FlagRow, flagOf, type OperationRow, scopesOf } from './table/shapes.ts';
import { fieldOf, fileText, parsed } from './values.ts';

export interface Given {
  /** What stands behind the verb, in the order of the operation's arguments. */
  readonly args: readonly string[];
  /** By the API's names. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** A file with the body. */
  readonly file?: string | undefined;
  /** A body that was made by the command itself. */
  readonly body?: Readonly<Record<string, unknown>>;
}

type Path = Record<string, unknown>;

/** Makes the call of an operation, waits for its tasks, and prints what came of it. */
export async function runOperation(row: OperationRow, given: Given, context: Context): Promise<void> {
  const connection = context.connect(leastRole(row.method, row.path) === 'operator');
  const path = await pathOf(row, given.args, connection, context);
  const known: Known = { row, path, connection, context };
  const query = await fieldsOf('query', given, known);
  const body = await bodyOf(given, known);
  if (row.risky) await context.confirm(questionOf(row, given.args));
  if (row.stream) return printEvents(row.path, query, connection, context);
  if (isPaged(row) && query.limit === undefined && query.offset === undefined)
    return context.print(await itemsOf({ connection, path, list: row }, query));
  const answer = await connection.client.call(row.method, row.path, {
    path,
    query,
    ...(body !== undefined && { body }),
  });
  await showOutcome(answer, { row, path, body, connection, context });
}

/** A list that has more than one page is read as a whole, unless a page was asked for. */
const isPaged = ({ method, flags }: OperationRow): boolean =>
  method === 'GET' && flags.some(({ name }) => name === 'offset');

/** Each event as it comes, until the reader has enough. */
async function printEvents(
  path: string,
  query: Path,
  connection: Connection,
  context: Context,
): Promise<void> {
  const ending = new AbortController();
  const stopListening = context.terminal.onInterrupt(() => ending.abort(new Interrupted('')));
  try {
    const events = connection.client.events(path, { query, signal: ending.signal });
    for await (const { data } of events) context.terminal.print(data);
  } finally {
    stopListening();
  }
}

interface Known {
  readonly row: OperationRow;
  readonly path: Path;
  readonly connection: Connection;
  readonly context: Context;
}

/** `Delete a load balancer: web`. */
const questionOf = ({ means }: OperationRow, args: readonly string[]) =>
  [means.replace(/;.*/, ''), ...(args.length > 0 ? [printable(args.join(' '))] : [])].join(': ');

/** The parts of the path: what is usually meant, and what was given by ids or names. */
export async function pathOf(
  row: OperationRow,
  args: readonly string[],
  connection: Connection,
  { globals }: Context,
): Promise<Path> {
  const path: Path = {};
  const scopes = new Set(scopesOf(row));
  if (scopes.has('project_id')) path.project_id = await connection.project(globals.project);
  if (scopes.has('region_id')) path.region_id = await connection.region(globals.region);
  for (const name of ['client_id', 'clientId'])
    if (scopes.has(name)) path[name] = globals.client ?? (await connection.account());
  for (const [at, { name, kind, list }] of row.args.entries()) {
    const value = args[at] ?? '';
    if (isId(value, kind) || list === undefined) path[name] = value;
    else path[name] = await lookUp(list, value, connection, globals, path);
  }
  return path;
}

/** The id of what is called so in a list. */
export async function lookUp(
  list: string,
  value: string,
  connection: Connection,
  globals: Context['globals'],
  known: Path,
): Promise<string | number> {
  const row = operation(list);
  const path = { ...known };
  // The list may be of another area than the call.
  if (row.path.includes('{project_id}')) path.project_id ??= await connection.project(globals.project);
  if (row.path.includes('{region_id}')) path.region_id ??= await connection.region(globals.region);
  return isId(value, 'uuid') ? value : idOf({ connection, path, list: row }, value);
}

async function fieldsOf(
  where: FlagRow['in'],
  { flags }: Given,
  { row, path, connection, context }: Known,
): Promise<Path> {
  const fields: Path = {};
  for (const flag of row.flags) {
    if (flag.in !== where || flags[flag.name] === undefined) continue;
    const value = fieldOf(flag, flags[flag.name], context.terminal);
    fields[flag.name] = await withIds(flag, value, connection, context, path);
  }
  return fields;
}

/** Names become ids where the API wants ids. */
async function withIds(
  flag: FlagRow,
  value: unknown,
  connection: Connection,
  { globals }: Context,
  path: Path,
): Promise<unknown> {
  const { list } = flag;
  if (list === undefined) return value;
  const one = async (each: unknown) =>
    typeof each !== 'string' || isId(each, 'uuid') ? each : lookUp(list, each, connection, globals, path);
  return Array.isArray(value) ? Promise.all(value.map(one)) : one(value);
}

/** The file's fields, and those of flags over them. */
async function bodyOf(given: Given, known: Known): Promise<unknown> {
  const { row, context } = known;
  if (!row.body) return undefined;
  const read =
    given.file === undefined ? undefined : parsed(fileText(given.file, context.terminal), given.file);
  const fields = { ...given.body, ...(await fieldsOf('body', given, known)) };
  if (row.body === 'any' || Array.isArray(read)) {
    if (read === undefined && row.body === 'any')
      throw new UsageError('--file is needed: it holds the body of the call');
    return read;
  }
  if (read !== undefined && (typeof read !== 'object' || read === null))
    throw new UsageError(`${given.file} must hold the fields of the body`);
  const body = { ...(read as object | undefined), ...fields };
  const missing = row.flags.filter((flag) => flag.in === 'body' && flag.needed && !(flag.name in body));
  if (missing.length > 0)
    throw new UsageError(
      missing.map(({ name, means }) => `--${flagOf(name)} is needed: ${means}`).join('\n'),
    );
  // The API changes nothing then, and says that it worked.
  if (row.method === 'PATCH' && read === undefined && Object.keys(body).length === 0)
    throw new UsageError(`There is nothing to change: give at least one of ${flagsOf(row).join(', ')}`);
  return body;
}

const flagsOf = ({ flags }: OperationRow): readonly string[] =>
  flags.filter((flag) => flag.in === 'body').map(({ name }) => `--${flagOf(name)}`);

interface Call extends Known {
  readonly body: unknown;
}

/** Waits for tasks of a write, and prints what it made; or the answer, where there are none. */
async function showOutcome(answer: unknown, call: Call): Promise<void> {
  const { context, connection } = call;
  const ids = tasksIn(answer);
  if (ids.length === 0) {
    if (answer === undefined || answer === '') return context.say('Done');
    return context.print(answer);
  }
  const { globals, terminal } = context;
  const isPlain = (globals.output ?? 'table') === 'table';
  if (globals.wait === false) return context.print(isPlain ? ids.map(String) : answer);
  for (const id of ids) {
    const task = await followTask(connection.client, id, terminal, globals.quiet);
    const made = await madeBy(task, call);
    if (made !== undefined) context.print(made);
    else if (!isPlain) context.print(task);
  }
}

/** The tasks that an answer names, unless it is a list of tasks. */
function tasksIn(answer: unknown): readonly string[] {
  const { tasks } = (answer ?? {}) as { tasks?: unknown };
  return Array.isArray(tasks) && tasks.every((id) => typeof id === 'string') ? tasks : [];
}

/** What a task has created: kinds of `created_resources`, or with = the field of the body that names it. */
const MADE: Readonly<Record<string, string>> = {
  createLoadBalancer: 'loadbalancers',
  createListener: 'listeners',
  createPool: 'pools',
  createPoolMember: 'members',
  createL7Policy: 'l7polices',
  createL7PolicyRule: 'l7rules',
  createInstance: 'instances',
  createVolume: 'volumes',
  createSnapshot: 'snapshots',
  createImage: 'images',
  createNetwork: 'networks',
  createSubnet: 'subnets',
  createRouter: 'routers',
  createFloatingIp: 'floatingips',
  createReservedFixedIp: 'ports',
  createSecurityGroup: 'security_groups',
  createSecret: 'secrets',
  createCluster: '=name',
  createClusterPool: '=name',
  createPostgresCluster: '=cluster_name',
};

async function madeBy(task: Task, { row, path, body, connection }: Call): Promise<unknown> {
  const kind = MADE[row.id];
  if (kind === undefined) return undefined;
  const created = (task.created_resources ?? {}) as Readonly<Record<string, readonly unknown[]>>;
  const id = kind.startsWith('=') ? (body as Path)[kind.slice(1)] : created[kind]?.[0];
  const read = operation(row.id.replace('create', 'get'));
  const name = read.args.at(-1)?.name;
  if (id === undefined || name === undefined) return undefined;
  return connection.client.call('GET', read.path, { path: { ...path, [name]: id } });
}
